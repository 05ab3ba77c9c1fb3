CREATE TABLE `cancel_all_orders` (
	`cancel_all_id` text NOT NULL,
	`order_id` text NOT NULL,
	PRIMARY KEY(`cancel_all_id`, `order_id`)
);
--> statement-breakpoint
CREATE TABLE `cancel_alls` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`key_hash` text NOT NULL,
	`cause` text NOT NULL,
	`market` text,
	`side` text,
	`touches` text NOT NULL,
	`keeps_protection` integer NOT NULL,
	`created_at_ms` integer NOT NULL,
	`outside_at_ms` integer,
	`done_at_ms` integer,
	`idempotency_key` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `cancel_alls_key` ON `cancel_alls` (`account_id`,`idempotency_key`) WHERE idempotency_key is not null;--> statement-breakpoint
CREATE INDEX `cancel_alls_running` ON `cancel_alls` (`created_at_ms`) WHERE done_at_ms is null;--> statement-breakpoint
CREATE TABLE `closes` (
	`order_id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`market` text NOT NULL,
	`key_hash` text NOT NULL,
	`touches` text NOT NULL,
	`keeps_triggers` integer NOT NULL,
	`up_to` integer NOT NULL,
	`ended_at_ms` integer
);
--> statement-breakpoint
CREATE INDEX `closes_running` ON `closes` (`account_id`) WHERE ended_at_ms is null;