CREATE TABLE `listed_events` (
	`id` integer PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL
);
--> statement-breakpoint
INSERT INTO `listed_events` SELECT `id`, `account_id` FROM `events`;
--> statement-breakpoint
CREATE INDEX `listed_events_account` ON `listed_events` (`account_id`,`id`);--> statement-breakpoint
DROP INDEX `events_account`;