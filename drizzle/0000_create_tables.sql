CREATE TABLE `accounts` (
	`id` text PRIMARY KEY NOT NULL,
	`label` text NOT NULL,
	`kind` text NOT NULL,
	`owner_address` text NOT NULL,
	`trading_address` text NOT NULL,
	`parent_id` text,
	`created_at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `adoptions` (
	`account_id` text NOT NULL,
	`key_digits` text NOT NULL,
	`order_id` text NOT NULL,
	`has_terms` integer NOT NULL,
	PRIMARY KEY(`account_id`, `key_digits`)
);
--> statement-breakpoint
CREATE TABLE `agents` (
	`address` text PRIMARY KEY NOT NULL,
	`owner_address` text NOT NULL,
	`name` text NOT NULL,
	`state` text NOT NULL,
	`sealed_key` blob NOT NULL,
	`created_at_ms` integer NOT NULL,
	`approved_at_ms` integer,
	`valid_until_ms` integer
);
--> statement-breakpoint
CREATE TABLE `api_keys` (
	`key_hash` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`scopes` text NOT NULL,
	`issued_at_ms` integer NOT NULL,
	`registered_at_ms` integer NOT NULL,
	`last_used_at_ms` integer,
	`state` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `api_keys_account` ON `api_keys` (`account_id`);--> statement-breakpoint
CREATE TABLE `attempts` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`kind` text NOT NULL,
	`account_id` text NOT NULL,
	`resource_kind` text NOT NULL,
	`resource_id` text NOT NULL,
	`idempotency_key` text NOT NULL,
	`signer` text NOT NULL,
	`nonce` integer NOT NULL,
	`expires_at_ms` integer NOT NULL,
	`vault_address` text,
	`action` text NOT NULL,
	`cloid` text,
	`target_oid` text,
	`is_target_closed` integer NOT NULL,
	`intended_total` text,
	`state` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`sent_at_ms` integer,
	`noops` integer NOT NULL,
	`seal` text,
	`has_landed` integer NOT NULL,
	`negatives` integer NOT NULL,
	`answer_text` text,
	`settled_at_ms` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `attempts_nonce` ON `attempts` (`signer`,`nonce`);--> statement-breakpoint
CREATE INDEX `attempts_resource` ON `attempts` (`resource_id`);--> statement-breakpoint
CREATE INDEX `attempts_open` ON `attempts` (`id`) WHERE state <> 'done';--> statement-breakpoint
CREATE TABLE `audit` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`at_ms` integer NOT NULL,
	`actor` text NOT NULL,
	`event` text NOT NULL,
	`reference` text NOT NULL,
	`detail` text NOT NULL,
	`chain` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `audit_seal` (
	`id` integer PRIMARY KEY NOT NULL,
	`row_id` integer NOT NULL,
	`chain` text NOT NULL,
	`sealed_at_ms` integer NOT NULL,
	`mac` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `events` (
	`id` integer PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`at_ms` integer NOT NULL,
	`type` text NOT NULL,
	`resource_id` text NOT NULL,
	`payload` text
);
--> statement-breakpoint
CREATE INDEX `events_account` ON `events` (`account_id`,`id`);--> statement-breakpoint
CREATE TABLE `fill_cursors` (
	`account_id` text PRIMARY KEY NOT NULL,
	`complete_to_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `fills` (
	`account_id` text NOT NULL,
	`id` text NOT NULL,
	`time_ms` integer NOT NULL,
	`market` text NOT NULL,
	`oid` text NOT NULL,
	`side` text NOT NULL,
	`price` text NOT NULL,
	`size` text NOT NULL,
	`is_taker` integer NOT NULL,
	`fee` text NOT NULL,
	`fee_token` text NOT NULL,
	`builder_fee` text,
	`realized_pnl` text NOT NULL,
	`start_position` text NOT NULL,
	`direction` text NOT NULL,
	`twap_id` text,
	`is_liquidation` integer NOT NULL,
	`transaction_hash` text NOT NULL,
	PRIMARY KEY(`account_id`, `time_ms`, `id`)
);
--> statement-breakpoint
CREATE INDEX `fills_oid` ON `fills` (`oid`);--> statement-breakpoint
CREATE INDEX `fills_twap` ON `fills` (`account_id`,`twap_id`) WHERE twap_id is not null;--> statement-breakpoint
CREATE TABLE `idempotency` (
	`account_id` text NOT NULL,
	`key` text NOT NULL,
	`route` text NOT NULL,
	`fingerprint` text NOT NULL,
	`resource_kind` text NOT NULL,
	`resource_id` text NOT NULL,
	`attempt_id` integer,
	`answer_status` integer,
	`answer_body` text,
	`created_at_ms` integer NOT NULL,
	PRIMARY KEY(`account_id`, `key`)
);
--> statement-breakpoint
CREATE TABLE `instance` (
	`id` integer PRIMARY KEY NOT NULL,
	`network` text NOT NULL,
	`exchange_url` text NOT NULL,
	`tag` integer NOT NULL,
	`secret` blob NOT NULL,
	`vault` text NOT NULL,
	`created_at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `legs` (
	`cloid` text PRIMARY KEY NOT NULL,
	`order_id` text NOT NULL,
	`oid` text,
	`ordinal` integer NOT NULL,
	`size` text NOT NULL,
	`price` text NOT NULL,
	`time_in_force` text NOT NULL,
	`trigger_price` text,
	`trigger_kind` text,
	`trigger_market` integer,
	`state` text NOT NULL,
	`filled_size` text NOT NULL,
	`filled_notional` text NOT NULL,
	`reason` text,
	`is_exchanges_word` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `legs_order` ON `legs` (`order_id`,`ordinal`);--> statement-breakpoint
CREATE INDEX `legs_oid` ON `legs` (`oid`) WHERE oid is not null;--> statement-breakpoint
CREATE INDEX `legs_short` ON `legs` (`cloid`) WHERE state = 'filled' and filled_size <> size;--> statement-breakpoint
CREATE TABLE `notes` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`resource_id` text NOT NULL,
	`attempt_id` integer,
	`at_ms` integer NOT NULL,
	`what` text NOT NULL,
	`detail` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `notes_resource` ON `notes` (`resource_id`);--> statement-breakpoint
CREATE TABLE `operations` (
	`id` text PRIMARY KEY NOT NULL,
	`account_id` text NOT NULL,
	`action` text NOT NULL,
	`market` text NOT NULL,
	`parameters` text NOT NULL,
	`before` text,
	`status` text NOT NULL,
	`exchange_id` text,
	`error` text,
	`created_at_ms` integer NOT NULL,
	`version` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `operations_history` ON `operations` (`account_id`,`created_at_ms`,`id`);--> statement-breakpoint
CREATE INDEX `operations_by_status` ON `operations` (`account_id`,`status`,`created_at_ms`);--> statement-breakpoint
CREATE TABLE `orders` (
	`number` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`account_id` text NOT NULL,
	`market` text NOT NULL,
	`asset_id` integer NOT NULL,
	`side` text NOT NULL,
	`size` text NOT NULL,
	`price` text NOT NULL,
	`time_in_force` text NOT NULL,
	`reduce_only` integer NOT NULL,
	`trigger_price` text,
	`trigger_kind` text,
	`trigger_market` integer,
	`status` text NOT NULL,
	`exchange_order_id` text,
	`filled_size` text,
	`average_price` text,
	`error` text,
	`created_at_ms` integer NOT NULL,
	`key_hash` text,
	`seen_at_ms` integer,
	`version` integer NOT NULL,
	`idempotency_key` text,
	`fingerprint` text,
	`answer_status` integer,
	`answer_body` text,
	`signer` text,
	`nonce` integer,
	`expires_at_ms` integer,
	`vault_address` text,
	`action` text,
	`attempt_state` text,
	`attempted_at_ms` integer,
	`sent_at_ms` integer,
	`noops` integer,
	`seal` text,
	`has_landed` integer,
	`negatives` integer,
	`answer_text` text,
	`settled_at_ms` integer,
	`leg_oid` text,
	`leg_size` text,
	`leg_price` text,
	`leg_time_in_force` text,
	`leg_trigger_price` text,
	`leg_trigger_kind` text,
	`leg_trigger_market` integer,
	`leg_state` text,
	`leg_filled_size` text,
	`leg_filled_notional` text,
	`leg_reason` text,
	`leg_is_exchanges_word` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `orders_id_unique` ON `orders` (`id`);--> statement-breakpoint
CREATE INDEX `orders_leg_oid` ON `orders` (`leg_oid`) WHERE leg_oid is not null;--> statement-breakpoint
CREATE INDEX `orders_legs_short` ON `orders` (`number`) WHERE leg_state = 'filled' and leg_filled_size <> leg_size;--> statement-breakpoint
CREATE UNIQUE INDEX `orders_nonce` ON `orders` (`signer`,`nonce`) WHERE signer is not null;--> statement-breakpoint
CREATE INDEX `orders_attempts_open` ON `orders` (`number`) WHERE attempt_state <> 'done';--> statement-breakpoint
CREATE UNIQUE INDEX `orders_key` ON `orders` (`account_id`,`idempotency_key`) WHERE fingerprint is not null;--> statement-breakpoint
CREATE INDEX `orders_by_status` ON `orders` (`account_id`,`status`,`created_at_ms`,`id`);--> statement-breakpoint
CREATE TABLE `restores` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`restored_at_ms` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `revocations` (
	`account_id` text NOT NULL,
	`key_hash` text NOT NULL,
	`revoked_at_ms` integer NOT NULL,
	PRIMARY KEY(`account_id`, `key_hash`)
);
--> statement-breakpoint
CREATE TABLE `setup` (
	`id` integer PRIMARY KEY NOT NULL,
	`builder_skipped_at_ms` integer,
	`finished_at_ms` integer
);
--> statement-breakpoint
CREATE TABLE `setup_tokens` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`kind` text NOT NULL,
	`expires_at_ms` integer NOT NULL,
	`session_hash` text
);
--> statement-breakpoint
CREATE TABLE `signers` (
	`address` text PRIMARY KEY NOT NULL,
	`last_nonce` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `take_ups` (
	`account_id` text PRIMARY KEY NOT NULL,
	`restore_id` integer NOT NULL,
	`snapshot_at_ms` integer NOT NULL,
	`taken_up_at_ms` integer
);
