ALTER TABLE `bot_days` ADD `nets` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `bot_days` ADD `markets` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
INSERT OR IGNORE INTO `bot_days` (`account_id`, `bot`, `day`, `turnover`, `actions`)
  SELECT DISTINCT `account_id`, `bot`, `day`, '0', 0 FROM `bot_day_markets`;--> statement-breakpoint
INSERT INTO `bot_days` (`account_id`, `bot`, `day`, `turnover`, `actions`)
  SELECT DISTINCT `account_id`, `bot`, 0, '0', 0 FROM `bot_nets` WHERE (`account_id`, `bot`) NOT IN (SELECT `account_id`, `bot` FROM `bot_days`);--> statement-breakpoint
UPDATE `bot_days` SET `markets` = (
  SELECT json_group_array(json_array(`market`, `open_net`, `open_mark`, `cash`, `funding`, `funding_shown`))
  FROM `bot_day_markets` AS `of_day`
  WHERE `of_day`.`account_id` = `bot_days`.`account_id` AND `of_day`.`bot` = `bot_days`.`bot` AND `of_day`.`day` = `bot_days`.`day`
);--> statement-breakpoint
UPDATE `bot_days` SET `nets` = (
  SELECT json_group_array(json_array(`market`, `net`)) FROM `bot_nets` AS `held`
  WHERE `held`.`account_id` = `bot_days`.`account_id` AND `held`.`bot` = `bot_days`.`bot` AND `held`.`net` <> '0'
) WHERE `day` = (
  SELECT max(`newest`.`day`) FROM `bot_days` AS `newest`
  WHERE `newest`.`account_id` = `bot_days`.`account_id` AND `newest`.`bot` = `bot_days`.`bot`
);--> statement-breakpoint
DROP TABLE `bot_day_markets`;--> statement-breakpoint
DROP TABLE `bot_nets`;
