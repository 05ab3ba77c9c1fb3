CREATE TABLE `equity_samples` (
	`account_id` text NOT NULL,
	`at_ms` integer NOT NULL,
	`equity` text NOT NULL,
	`unpriced` text NOT NULL,
	PRIMARY KEY(`account_id`, `at_ms`)
);
--> statement-breakpoint
CREATE TABLE `funding_payments` (
	`account_id` text NOT NULL,
	`time_ms` integer NOT NULL,
	`id` text NOT NULL,
	`market` text NOT NULL,
	`amount` text NOT NULL,
	`position` text NOT NULL,
	`rate` text NOT NULL,
	`samples` integer,
	`transaction_hash` text NOT NULL,
	PRIMARY KEY(`account_id`, `time_ms`, `id`)
);
--> statement-breakpoint
CREATE INDEX `funding_payments_market` ON `funding_payments` (`account_id`,`market`,`time_ms`,`id`);--> statement-breakpoint
CREATE TABLE `ledger_cursors` (
	`account_id` text NOT NULL,
	`list` text NOT NULL,
	`from_ms` integer NOT NULL,
	`newest_ms` integer NOT NULL,
	`read_to_ms` integer,
	PRIMARY KEY(`account_id`, `list`)
);
--> statement-breakpoint
CREATE TABLE `performance_cursors` (
	`account_id` text PRIMARY KEY NOT NULL,
	`from_ms` integer,
	`to_ms` integer NOT NULL,
	`seen_fills` integer NOT NULL,
	`seen_funding` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `performance_days` (
	`account_id` text NOT NULL,
	`day` integer NOT NULL,
	`market` text NOT NULL,
	`key_hash` text NOT NULL,
	`fills` integer NOT NULL,
	`volume` text NOT NULL,
	`fees` text NOT NULL,
	`builder_fees` text NOT NULL,
	`funding` text NOT NULL,
	`realized_pnl` text NOT NULL,
	PRIMARY KEY(`account_id`, `day`, `market`, `key_hash`)
);
--> statement-breakpoint
CREATE TABLE `performance_positions` (
	`account_id` text NOT NULL,
	`market` text NOT NULL,
	`key_hash` text NOT NULL,
	`size` text NOT NULL,
	`cost` text NOT NULL,
	PRIMARY KEY(`account_id`, `market`, `key_hash`)
);
--> statement-breakpoint
CREATE TABLE `transfers` (
	`account_id` text NOT NULL,
	`time_ms` integer NOT NULL,
	`id` text NOT NULL,
	`kind` text NOT NULL,
	`token` text,
	`amount` text,
	`fee` text,
	`value` text,
	`counterparty` text,
	`transaction_hash` text NOT NULL,
	`told` text NOT NULL,
	PRIMARY KEY(`account_id`, `time_ms`, `id`)
);
--> statement-breakpoint
CREATE INDEX `operations_exchange` ON `operations` (`account_id`,`exchange_id`) WHERE exchange_id is not null;