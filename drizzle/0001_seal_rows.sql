CREATE TABLE `sealed_rows` (
	`kind` text NOT NULL,
	`id` text NOT NULL,
	`content` text NOT NULL,
	PRIMARY KEY(`kind`, `id`)
);
--> statement-breakpoint
ALTER TABLE `api_keys` ADD `audience` text;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `network` text;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `expires_at_ms` integer;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `signature` text;--> statement-breakpoint
ALTER TABLE `audit_seal` ADD `rows_digest` text;--> statement-breakpoint
ALTER TABLE `revocations` ADD `audience` text;--> statement-breakpoint
ALTER TABLE `revocations` ADD `signature` text;