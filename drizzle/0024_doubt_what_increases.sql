ALTER TABLE `bot_doubts` ADD `long_sold` text DEFAULT '0' NOT NULL;--> statement-breakpoint
ALTER TABLE `bot_doubts` ADD `short_bought` text DEFAULT '0' NOT NULL;