import type { QueryClient } from '@tanstack/solid-query';
import { type Accessor, createMemo, createRoot, createSignal } from 'solid-js';
import type { GatewayClient } from '#client/client.ts';
import { fitsForm, sendForm } from '#client/transfers/form-upload.ts';
import { nameOf } from '../lib/paths.ts';
import { createBatch, createConflicts, type Question } from './conflicts.ts';
import { createControls, createSuspension, type Suspension, type TransferControls } from './controls.ts';
import { createCopyJob } from './copies/job.ts';
import type { CopyRequest } from './copies/one-source.ts';
import { createExtractJob, type ExtractRequest } from './extracts/job.ts';
import { newTransferId } from './id.ts';
import { createTransferList } from './list.ts';
import { createRefresh } from './refresh.ts';
import { isActive, isOver, summaryOf, type TransferRow, type TransferSummary } from './row.ts';
import { createSlots } from './slots.ts';
import { openLedger } from './uploads/ledger.ts';
import { createPresence } from './uploads/presence.ts';
import type { SendFile } from './uploads/upload.ts';
import { createUploads, type Uploads } from './uploads/uploads.ts';

const AT_ONCE = 3;

export interface Transfers extends Omit<Uploads, 'restore'>, TransferControls {
  readonly rows: readonly TransferRow[];
  readonly summary: Accessor<TransferSummary>;
  /** Files whose name is taken, oldest first. */
  readonly questions: Accessor<readonly Question[]>;
  /** Whether the tray is open. */
  readonly is_open: Accessor<boolean>;
  setOpen(open: boolean): void;
  /** Copies or moves to another server, or within the same one. */
  copy(request: CopyRequest): void;
  /** Extracts a ZIP archive, or some of its members, on its host. */
  extract(request: ExtractRequest): void;
}

/** All transfers of one user. They outlive the workspace. */
export interface UserTransfers extends Suspension {
  readonly user_id: number;
  readonly transfers: Transfers;
  /** Stops everything and keeps what can be resumed for the next sign-in. */
  close(): void;
}

interface Options {
  readonly client: GatewayClient;
  readonly queries: QueryClient;
  readonly user_id: number;
}

export function openUserTransfers({ client, queries, user_id }: Options): UserTransfers {
  const name = client.url('/').href;
  const ledger = openLedger(name, user_id);
  const refresh = createRefresh(queries);
  const conflicts = createConflicts();
  const slots = createSlots(AT_ONCE);
  const list = createTransferList((row) => {
    if (row.state === 'done') void ledger.forgetJob(row.id);
    refresh.flush();
  });
  const tools = { client, user_id, ledger, slots, conflicts, send: sendBy(client) };
  const { restore, ...uploads } = createUploads({ tools, list, onPlaced: refresh.at });
  const suspension = createSuspension(list);
  const presence = createPresence(name, () => list.rows.filter((row) => !isOver(row)).map(({ id }) => id));
  void presence.others().then(restore);

  const on_hosts = { client, slots, conflicts, onPlaced: refresh.at };
  const controls = createControls(list, ledger);
  const [is_open, setOpen] = createSignal(false);
  function copy(request: CopyRequest): void {
    const row = copyRow(request);
    list.add(row, (tell) => createCopyJob(on_hosts, { request, batch: createBatch() }, tell));
    list.job(row.id)?.start();
    setOpen(true);
  }
  function extract(request: ExtractRequest): void {
    const row = extractRow(request);
    const work = { request, batch: createBatch(), cancel: () => controls.cancel(row.id) };
    list.add(row, (tell) => createExtractJob(on_hosts, work, tell));
    list.job(row.id)?.start();
    setOpen(true);
  }

  const [summary, dispose] = createRoot((disposeRoot) => [
    createMemo(() => summaryOf(list.rows)),
    disposeRoot,
  ]);
  const transfers = {
    ...uploads,
    ...controls,
    rows: list.rows,
    summary,
    questions: conflicts.questions,
    is_open,
    setOpen,
    copy,
    extract,
  };
  return {
    ...suspension,
    user_id,
    transfers,
    close() {
      suspension.suspend();
      presence.close();
      dispose();
    },
  };
}

function copyRow({ source_paths, target_server_id, target_path, move }: CopyRequest) {
  const [first = ''] = source_paths;
  return {
    id: newTransferId(),
    kind: move ? ('move' as const) : ('copy' as const),
    name: source_paths.length === 1 ? nameOf(first) : '',
    server_id: target_server_id,
    directory: target_path,
    total_files: source_paths.length,
    can_pause: false,
  };
}

function extractRow({ server_id, path, target_path: directory, members }: ExtractRequest) {
  const [first, ...others] = members ?? [];
  const name = nameOf(first !== undefined && others.length === 0 ? first : path);
  return { id: newTransferId(), kind: 'extract' as const, name, server_id, directory, can_pause: false };
}

/** Loads the tus library with the first upload that needs it. */
function sendBy(client: GatewayClient): SendFile {
  return async (file, plan, watch) => {
    if (fitsForm(file, plan)) return sendForm(client, file, { plan, watch });
    const { sendFile } = await import('#client/transfers/tus-upload.ts');
    await sendFile(client, file, { plan, watch });
  };
}

export function hasActive({ rows }: Pick<Transfers, 'rows'>): boolean {
  return rows.some(isActive);
}
