CREATE TABLE `bot_day_markets` (
	`account_id` text NOT NULL,
	`bot` text NOT NULL,
	`day` integer NOT NULL,
	`market` text NOT NULL,
	`open_net` text NOT NULL,
	`open_mark` text,
	`cash` text NOT NULL,
	`funding` text NOT NULL,
	`funding_shown` text,
	PRIMARY KEY(`account_id`, `bot`, `day`, `market`)
);
--> statement-breakpoint
CREATE TABLE `bot_narrowings` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`bot` text NOT NULL,
	`rails` text NOT NULL,
	`actor` text NOT NULL,
	`created_at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `bot_narrowings_bot` ON `bot_narrowings` (`account_id`,`bot`);--> statement-breakpoint
CREATE TABLE `bot_trips` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`bot` text NOT NULL,
	`cause` text NOT NULL,
	`day` integer NOT NULL,
	`loss` text NOT NULL,
	`limit` text,
	`created_at_ms` integer NOT NULL,
	`cleared_at_ms` integer
);
--> statement-breakpoint
CREATE INDEX `bot_trips_day` ON `bot_trips` (`account_id`,`bot`,`day`);--> statement-breakpoint
ALTER TABLE `bot_days` ADD `fees` text DEFAULT '0' NOT NULL;