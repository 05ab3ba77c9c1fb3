DROP INDEX `orders_nonce`;--> statement-breakpoint
ALTER TABLE `orders` ADD `batch_id` text;--> statement-breakpoint
ALTER TABLE `orders` ADD `batch_index` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX `orders_batch` ON `orders` (`batch_id`,`batch_index`) WHERE batch_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX `orders_nonce` ON `orders` (`signer`,`nonce`,`batch_index`) WHERE signer is not null;--> statement-breakpoint
ALTER TABLE `events` ADD `batch_index` integer;