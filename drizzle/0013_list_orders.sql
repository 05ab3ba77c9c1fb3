CREATE TABLE `listed_orders` (
	`number` integer PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`market` text NOT NULL,
	`key_hash` text,
	`created_at_ms` integer NOT NULL,
	`id` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `listed_orders_market` ON `listed_orders` (`account_id`,`market`,`created_at_ms`,`id`);--> statement-breakpoint
CREATE INDEX `listed_orders_key` ON `listed_orders` (`account_id`,`key_hash`,`created_at_ms`,`id`);--> statement-breakpoint
CREATE INDEX `fills_by_market` ON `fills` (`account_id`,`market`,`time_ms`,`id`);--> statement-breakpoint
CREATE INDEX `operations_by_market` ON `operations` (`account_id`,`market`,`created_at_ms`,`id`);--> statement-breakpoint
INSERT INTO `listed_orders` SELECT `number`, `account_id`, `market`, `key_hash`, `created_at_ms`, `id` FROM `orders`;
