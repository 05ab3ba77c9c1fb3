CREATE TABLE `stops` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`scope` text NOT NULL,
	`key_hash` text,
	`cause` text NOT NULL,
	`keeps_protection` integer NOT NULL,
	`up_to` integer NOT NULL,
	`idempotency_key` text,
	`created_at_ms` integer NOT NULL,
	`outside_at_ms` integer,
	`stopped_at_ms` integer,
	`resumed_at_ms` integer
);
--> statement-breakpoint
CREATE INDEX `stops_account` ON `stops` (`account_id`,`created_at_ms`);--> statement-breakpoint
CREATE UNIQUE INDEX `stops_key` ON `stops` (`account_id`,`idempotency_key`) WHERE idempotency_key is not null;--> statement-breakpoint
CREATE INDEX `stops_in_force` ON `stops` (`account_id`) WHERE resumed_at_ms is null and (cause = 'asked' or stopped_at_ms is null);--> statement-breakpoint
CREATE TABLE `stops_outside` (
	`stop_id` text NOT NULL,
	`kind` text NOT NULL,
	`native_id` text NOT NULL,
	`market` text NOT NULL,
	`outcome` text NOT NULL,
	PRIMARY KEY(`stop_id`, `kind`, `native_id`)
);
--> statement-breakpoint
ALTER TABLE `operations` ADD `key_hash` text;