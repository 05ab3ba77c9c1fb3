ALTER TABLE `operations` ADD `released_at_ms` integer;--> statement-breakpoint
ALTER TABLE `orders` ADD `released_at_ms` integer;--> statement-breakpoint
CREATE INDEX `orders_released` ON `orders` (`id`) WHERE released_at_ms is not null;