CREATE TABLE `notice_receivers` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`host` text NOT NULL,
	`sealed` text NOT NULL,
	`cursor` integer NOT NULL,
	`failures` integer NOT NULL,
	`failing_since_ms` integer,
	`next_at_ms` integer NOT NULL,
	`parked_at_ms` integer,
	`created_at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `notice_receivers_name_unique` ON `notice_receivers` (`name`);