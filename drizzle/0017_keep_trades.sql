CREATE TABLE `trades` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`market` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`ended_at_ms` integer,
	`trade` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `trades_account` ON `trades` (`account_id`,`created_at_ms`);--> statement-breakpoint
CREATE INDEX `trades_open` ON `trades` (`account_id`) WHERE ended_at_ms is null;