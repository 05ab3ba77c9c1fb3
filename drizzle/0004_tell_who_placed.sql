ALTER TABLE `events` ADD `key_hash` text;--> statement-breakpoint
ALTER TABLE `events` ADD `idempotency_key` text;--> statement-breakpoint
UPDATE `events` SET (`key_hash`, `idempotency_key`) = (SELECT `key_hash`, `idempotency_key` FROM `orders` WHERE `orders`.`id` = `events`.`resource_id`) WHERE `type` IN ('order.created', 'order.updated');