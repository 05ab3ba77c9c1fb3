DROP INDEX `orders_attempts_open`;--> statement-breakpoint
CREATE INDEX `orders_attempts_left_open` ON `orders` (`number`) WHERE attempt_state <> 'done' and status <> 'processing';