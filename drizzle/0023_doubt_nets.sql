CREATE TABLE `bot_doubts` (
	`account_id` text NOT NULL,
	`bot` text NOT NULL,
	`market` text NOT NULL,
	`sold_beyond` text NOT NULL,
	`bought_beyond` text NOT NULL,
	`cash` text NOT NULL,
	`sources` text NOT NULL,
	`since_ms` integer NOT NULL,
	`at_ms` integer NOT NULL,
	PRIMARY KEY(`account_id`, `bot`, `market`)
);
