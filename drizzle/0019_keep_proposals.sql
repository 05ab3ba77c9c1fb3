CREATE TABLE `proposals` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`key_hash` text NOT NULL,
	`bot` text,
	`terms` text NOT NULL,
	`proposed_at_ms` integer NOT NULL,
	`asked_at_ms` integer,
	`decision` text,
	`decided_at_ms` integer,
	`decided_by` text
);
--> statement-breakpoint
CREATE INDEX `proposals_account` ON `proposals` (`account_id`,`proposed_at_ms`);--> statement-breakpoint
CREATE INDEX `proposals_asked` ON `proposals` (`account_id`,`asked_at_ms`);