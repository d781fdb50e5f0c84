import * as apiKeys from './accounts/api-keys.ts';
import * as auth from './accounts/auth.ts';
import * as sessions from './accounts/sessions.ts';
import * as totp from './accounts/totp.ts';
import * as users from './accounts/users.ts';
import * as agentChats from './agent/chats.ts';
import * as agent from './agent/settings.ts';
import type { AppRoute } from './app-route.ts';
import * as audit from './audit.ts';
import * as backups from './backup.ts';
import * as embedding from './embedding.ts';
import * as fileArchives from './files/archives.ts';
import * as fileChanges from './files/changes.ts';
import {
  connectFiles,
  homeOfFiles,
  listFiles,
  oldCopies,
  readFile,
  searchFiles,
  statFile,
} from './files/files.ts';
import * as fileTransfers from './files/transfers.ts';
import * as uploads from './files/uploads.ts';
import * as serverImports from './hosts/imports.ts';
import * as servers from './hosts/servers.ts';
import { serverEvents } from './monitor.ts';
import { metrics, ready } from './operations.ts';
import { overview } from './overview.ts';
import * as recordings from './recordings.ts';
import * as branding from './settings/branding.ts';
import * as settings from './settings/settings.ts';
import * as snippets from './snippets.ts';
import * as terminalSockets from './terminals/sockets.ts';
import * as terminals from './terminals/terminals.ts';
import * as webhooks from './webhooks.ts';

/** Operations that need Node (argon2, SSH, sockets), end connections or are audited. An edge forwards them. */
export const WORKER_ROUTES: readonly AppRoute[] = [
  ...Object.values(auth),
  ...Object.values(totp),
  ...Object.values(sessions),
  ...Object.values(apiKeys),
  ...Object.values(embedding),
  ...Object.values(users),
  ...Object.values(audit),
  servers.createServer,
  servers.updateServer,
  servers.deleteServer,
  servers.acceptHostKey,
  servers.clearHostKey,
  servers.testServer,
  ...Object.values(serverImports),
  serverEvents,
  homeOfFiles,
  listFiles,
  statFile,
  readFile,
  searchFiles,
  oldCopies,
  connectFiles,
  ...Object.values(fileChanges),
  ...Object.values(fileTransfers),
  ...Object.values(fileArchives),
  ...Object.values(uploads),
  ...Object.values(terminalSockets),
  ...Object.values(terminals),
  ...Object.values(recordings),
  ...Object.values(snippets),
  ...Object.values(webhooks),
  ...Object.values(settings),
  ...Object.values(branding),
  ...Object.values(backups),
  ...Object.values(agent),
  ...Object.values(agentChats),
  overview,
  ready,
  metrics,
];
