CREATE TABLE `hook_deliveries` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`hook_id` text NOT NULL,
	`received_at_ms` integer NOT NULL,
	`alert_at_ms` integer,
	`market` text,
	`body` text NOT NULL,
	`identity` text NOT NULL,
	`status` text NOT NULL,
	`steps` integer NOT NULL,
	`order_id` text,
	`reason` text,
	`ended_at_ms` integer,
	`repeats` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `hook_deliveries_identity` ON `hook_deliveries` (`hook_id`,`identity`);--> statement-breakpoint
CREATE INDEX `hook_deliveries_accepted` ON `hook_deliveries` (`hook_id`) WHERE status = 'accepted';--> statement-breakpoint
CREATE TABLE `hooks` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`name` text NOT NULL,
	`key_hash` text NOT NULL,
	`secret_hash` text NOT NULL,
	`mode` text NOT NULL,
	`market` text,
	`max_age_ms` integer NOT NULL,
	`same_within_ms` integer NOT NULL,
	`max_slippage_bps` integer NOT NULL,
	`sources` text,
	`is_rehearsal` integer NOT NULL,
	`state` text NOT NULL,
	`created_at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `hooks_secret` ON `hooks` (`secret_hash`);