ALTER TABLE `legs` ADD `absence` text;--> statement-breakpoint
ALTER TABLE `orders` ADD `leg_absence` text;--> statement-breakpoint
ALTER TABLE `hook_deliveries` ADD `is_held_back` integer DEFAULT false NOT NULL;--> statement-breakpoint
DROP VIEW `every_leg`;--> statement-breakpoint
CREATE VIEW `every_leg` AS select "cloid", "order_id", "oid", "ordinal", "size", "price", "time_in_force", "trigger_price", "trigger_kind", "trigger_market", "state", "filled_size", "filled_notional", "reason", "is_exchanges_word", "absence", "cloid" as "found_by" from "legs" union all select cast('0x' || replace("id", '-', '') as text), "id", "leg_oid", cast(0 as integer), "leg_size", "leg_price", "leg_time_in_force", "leg_trigger_price", "leg_trigger_kind", "leg_trigger_market", "leg_state", "leg_filled_size", "leg_filled_notional", "leg_reason", "leg_is_exchanges_word", "leg_absence", "id" from "orders" where "orders"."leg_state" is not null;--> statement-breakpoint
-- What was concluded of old rows stood in their words alone: they are judged by these once, here.
UPDATE `legs` SET `absence` = CASE
  WHEN `state` = 'absent' AND substr(`reason`, 1, 88) = 'The order was never executed and no longer can be: an empty action has taken its number.' THEN 'never_ran'
  WHEN `state` = 'absent' AND substr(`reason`, 1, 63) = 'The exchange refused it, in words that are new to this gateway.' THEN 'refused'
  WHEN `state` = 'absent' AND substr(`reason`, 1, 76) = 'The order had ended before it could be replaced, and then nothing is placed.' THEN 'replaced_nothing'
  WHEN `state` = 'absent' AND substr(`reason`, 1, 49) = 'The order was filled before it could be replaced.' THEN 'replaced_nothing'
  WHEN `state` = 'absent' AND substr(`reason`, 1, 142) = 'It left no order: the exchange shows other orders of its batch, which ran as one action, and none of this one. It was refused when it arrived.' THEN 'left_out'
  WHEN `state` = 'absent' AND substr(`reason`, 1, 127) = 'It left no order: the exchange''s history has gone on past its end without it. It was refused when it arrived, or never arrived.' THEN 'left_nothing'
  WHEN `state` = 'absent' AND substr(`reason`, 1, 26) = 'The order was never sent: ' THEN 'not_sent'
  WHEN `state` = 'absent' AND substr(`reason`, 1, 132) = 'The exchange keeps no record that old: what was to replace the order is not open and had no fills; it was canceled, or never placed.' THEN 'outlived'
  WHEN `state` = 'absent' AND substr(`reason`, 1, 145) = 'By the exchange''s own answers to cancels of it, what was to replace the order is not open, and it had no fills: it was canceled, or never placed.' THEN 'unfound'
  WHEN `state` = 'canceled' AND substr(`reason`, 1, 116) = 'The exchange keeps no record that old: it is not open and had no fills; it was canceled, or refused when it arrived.' THEN 'outlived'
  WHEN `state` = 'canceled' AND substr(`reason`, 1, 155) = 'By the exchange''s own answers to cancels of it there is nothing to cancel, and it had no fills: it was canceled, refused when it arrived, or never arrived.' THEN 'unfound'
END WHERE (`state` = 'absent' AND `is_exchanges_word` = 0) OR (`state` = 'canceled' AND `reason` IS NOT NULL);--> statement-breakpoint
UPDATE `orders` SET `leg_absence` = CASE
  WHEN `leg_state` = 'absent' AND substr(`leg_reason`, 1, 88) = 'The order was never executed and no longer can be: an empty action has taken its number.' THEN 'never_ran'
  WHEN `leg_state` = 'absent' AND substr(`leg_reason`, 1, 63) = 'The exchange refused it, in words that are new to this gateway.' THEN 'refused'
  WHEN `leg_state` = 'absent' AND substr(`leg_reason`, 1, 76) = 'The order had ended before it could be replaced, and then nothing is placed.' THEN 'replaced_nothing'
  WHEN `leg_state` = 'absent' AND substr(`leg_reason`, 1, 49) = 'The order was filled before it could be replaced.' THEN 'replaced_nothing'
  WHEN `leg_state` = 'absent' AND substr(`leg_reason`, 1, 142) = 'It left no order: the exchange shows other orders of its batch, which ran as one action, and none of this one. It was refused when it arrived.' THEN 'left_out'
  WHEN `leg_state` = 'absent' AND substr(`leg_reason`, 1, 127) = 'It left no order: the exchange''s history has gone on past its end without it. It was refused when it arrived, or never arrived.' THEN 'left_nothing'
  WHEN `leg_state` = 'absent' AND substr(`leg_reason`, 1, 26) = 'The order was never sent: ' THEN 'not_sent'
  WHEN `leg_state` = 'absent' AND substr(`leg_reason`, 1, 132) = 'The exchange keeps no record that old: what was to replace the order is not open and had no fills; it was canceled, or never placed.' THEN 'outlived'
  WHEN `leg_state` = 'absent' AND substr(`leg_reason`, 1, 145) = 'By the exchange''s own answers to cancels of it, what was to replace the order is not open, and it had no fills: it was canceled, or never placed.' THEN 'unfound'
  WHEN `leg_state` = 'canceled' AND substr(`leg_reason`, 1, 116) = 'The exchange keeps no record that old: it is not open and had no fills; it was canceled, or refused when it arrived.' THEN 'outlived'
  WHEN `leg_state` = 'canceled' AND substr(`leg_reason`, 1, 155) = 'By the exchange''s own answers to cancels of it there is nothing to cancel, and it had no fills: it was canceled, refused when it arrived, or never arrived.' THEN 'unfound'
END WHERE (`leg_state` = 'absent' AND `leg_is_exchanges_word` = 0) OR (`leg_state` = 'canceled' AND `leg_reason` IS NOT NULL);--> statement-breakpoint
UPDATE `hook_deliveries` SET `is_held_back` = 1 WHERE `status` = 'accepted' AND `reason` IS NOT NULL;
