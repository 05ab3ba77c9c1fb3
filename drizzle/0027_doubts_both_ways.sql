ALTER TABLE `bot_doubts` ADD `sold_since` text DEFAULT '0' NOT NULL;--> statement-breakpoint
ALTER TABLE `bot_doubts` ADD `bought_since` text DEFAULT '0' NOT NULL;--> statement-breakpoint
ALTER TABLE `bot_doubts` ADD `opened_long` text DEFAULT '0' NOT NULL;--> statement-breakpoint
ALTER TABLE `bot_doubts` ADD `opened_short` text DEFAULT '0' NOT NULL;--> statement-breakpoint
ALTER TABLE `bot_doubts` ADD `beside` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `bot_doubts` ADD `closed_long` text DEFAULT '0' NOT NULL;--> statement-breakpoint
ALTER TABLE `bot_doubts` ADD `closed_short` text DEFAULT '0' NOT NULL;--> statement-breakpoint
-- Of those that stand nobody has counted it: all that counted as another's may have been its own.
UPDATE `bot_doubts` SET `sold_since` = `bought_beyond`, `bought_since` = `sold_beyond`;
