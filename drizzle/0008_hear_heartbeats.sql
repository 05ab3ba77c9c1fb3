CREATE TABLE `heartbeats` (
	`account_id` text NOT NULL,
	`holder` text NOT NULL,
	`key_hash` text NOT NULL,
	`status` text NOT NULL,
	`within_ms` integer NOT NULL,
	`beat_at_ms` integer NOT NULL,
	`grace_at_ms` integer,
	`missed_at_ms` integer,
	`stop_id` text,
	PRIMARY KEY(`account_id`, `holder`)
);
