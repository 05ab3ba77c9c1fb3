ALTER TABLE `take_ups` ADD `filled_to_ms` integer;--> statement-breakpoint
ALTER TABLE `take_ups` ADD `read_to_ms` integer;