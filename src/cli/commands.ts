import { accountAdd } from "./account/add.ts";
import { accountList } from "./account/list.ts";
import { accountShow } from "./account/show.ts";
import { agentApproval } from "./agent/approval.ts";
import { agentApprove } from "./agent/approve.ts";
import { agentImport } from "./agent/import.ts";
import { agentList } from "./agent/list.ts";
import { agentNew, agentRetire } from "./agent/new-and-retire.ts";
import { agentRotate } from "./agent/rotate.ts";
import { auditVerify } from "./audit/verify.ts";
import { backupCommand } from "./backup.ts";
import type { Command } from "./command.ts";
import { doctorCommand } from "./doctor.ts";
import { exportCommand } from "./export.ts";
import { hookCreate } from "./hook/create.ts";
import { hookDeliveries } from "./hook/deliveries.ts";
import { hookKeep, hookRevoke } from "./hook/keep-and-revoke.ts";
import { hookList } from "./hook/list.ts";
import { hookRehearse } from "./hook/rehearse.ts";
import { initCommand } from "./init.ts";
import { keyBlock, keyKeep } from "./key/block-and-keep.ts";
import { keyGrant } from "./key/grant.ts";
import { keyList } from "./key/list.ts";
import { keyNarrow } from "./key/narrow.ts";
import { keyNew } from "./key/new.ts";
import { keyRegister } from "./key/register.ts";
import { keyRevoke } from "./key/revoke.ts";
import { keyUntrip } from "./key/untrip.ts";
import { logCommand } from "./log.ts";
import { mcpCommand } from "./mcp/mcp.ts";
import { noticeAdd } from "./notice/add.ts";
import { noticeList } from "./notice/list.ts";
import { noticeRemove, noticeTest } from "./notice/remove-and-test.ts";
import { openApiCommand } from "./openapi.ts";
import { orderExplain } from "./order/explain.ts";
import { orderRelease } from "./order/release.ts";
import { paperCommand } from "./paper.ts";
import { passphraseCheck, passphraseNew } from "./passphrase/new-and-check.ts";
import { proposalApprove, proposalList, proposalRefuse } from "./proposal/list-and-decide.ts";
import { restoreCommand } from "./restore.ts";
import { serveCommand } from "./serve.ts";
import { setupCommand } from "./setup-link.ts";
import { resumeCommand, stopCommand } from "./stop-and-resume.ts";
import { upgradeOpen, upgradeStatus } from "./upgrade.ts";
import { versionCommand } from "./version.ts";

/** Every command that works; what does not work yet is not shown. */
export const COMMANDS: readonly Command[] = [
  serveCommand,
  paperCommand,
  initCommand,
  setupCommand,
  accountAdd,
  accountList,
  accountShow,
  agentNew,
  agentList,
  agentApproval,
  agentApprove,
  agentRotate,
  agentImport,
  agentRetire,
  passphraseNew,
  passphraseCheck,
  keyNew,
  keyGrant,
  keyRegister,
  keyList,
  keyRevoke,
  keyBlock,
  keyKeep,
  keyNarrow,
  keyUntrip,
  hookCreate,
  hookList,
  hookKeep,
  hookRevoke,
  hookRehearse,
  hookDeliveries,
  mcpCommand,
  proposalList,
  proposalApprove,
  proposalRefuse,
  noticeAdd,
  noticeList,
  noticeRemove,
  noticeTest,
  stopCommand,
  resumeCommand,
  doctorCommand,
  orderExplain,
  orderRelease,
  auditVerify,
  logCommand,
  exportCommand,
  backupCommand,
  restoreCommand,
  openApiCommand,
  upgradeStatus,
  upgradeOpen,
  versionCommand,
];
