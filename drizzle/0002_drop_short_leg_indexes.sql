DROP INDEX `legs_short`;--> statement-breakpoint
DROP INDEX `orders_legs_short`;