CREATE TABLE `bot_twaps` (
	`operation_id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`bot` text NOT NULL,
	`market` text NOT NULL,
	`side` text NOT NULL,
	`size` text NOT NULL,
	`reduce_only` integer NOT NULL,
	`duration_minutes` integer NOT NULL,
	`created_at_ms` integer NOT NULL,
	`twap_id` text,
	`filled_size` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `bot_twaps_account` ON `bot_twaps` (`account_id`);