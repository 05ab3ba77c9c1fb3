CREATE TABLE `flattens` (
	`stop_id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`asked_at_ms` integer NOT NULL,
	`asked_by` text,
	`max_slippage_bps` integer NOT NULL,
	`steps` integer NOT NULL,
	`ended_at_ms` integer,
	`left` text NOT NULL
);
