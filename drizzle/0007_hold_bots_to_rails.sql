CREATE TABLE `bot_days` (
	`account_id` text NOT NULL,
	`bot` text NOT NULL,
	`day` integer NOT NULL,
	`turnover` text NOT NULL,
	`actions` integer NOT NULL,
	PRIMARY KEY(`account_id`, `bot`, `day`)
);
--> statement-breakpoint
CREATE TABLE `bot_nets` (
	`account_id` text NOT NULL,
	`bot` text NOT NULL,
	`market` text NOT NULL,
	`net` text NOT NULL,
	PRIMARY KEY(`account_id`, `bot`, `market`)
);
--> statement-breakpoint
ALTER TABLE `api_keys` ADD `limited_grant` text;