import { ClientError } from '#client/transport/client-error.ts';

export type UploadKind = 'file' | 'folder' | 'bundle';
export type TransferKind = UploadKind | 'copy' | 'move' | 'extract';

/** `waiting` is from before a reload: the user must choose the file, or allow reading it, again. */
export type TransferState =
  | 'queued'
  | 'running'
  | 'retrying'
  | 'asking'
  | 'paused'
  | 'waiting'
  | 'done'
  | 'failed';

/** Whether the user can start it with one click. */
export function mayGoOn({ state, has_handle }: Pick<TransferRow, 'state' | 'has_handle'>): boolean {
  return state === 'paused' || (state === 'waiting' && has_handle);
}

export interface TransferFailure {
  readonly path: string;
  readonly error: unknown;
}

/** One row of the tray. */
export interface TransferRow {
  readonly id: string;
  readonly kind: TransferKind;
  /** Empty for several files, which show a count instead. */
  readonly name: string;
  /** The destination. */
  readonly server_id: number;
  readonly directory: string;
  readonly state: TransferState;
  readonly sent_bytes: number;
  /** Undefined while unknown, as for a copy whose source is still being counted. */
  readonly total_bytes: number | undefined;
  readonly done_files: number;
  readonly skipped_files: number;
  /** Uploads in place of a file that was there. */
  readonly replaced_files: number;
  /** Uploads under another name beside a file that was there. */
  readonly doubled_files: number;
  readonly total_files: number | undefined;
  readonly failed_files: number;
  /** Items below a copied directory that stayed behind, such as links. */
  readonly left_behind: number;
  /** The first few items that failed or were skipped. */
  readonly failures: readonly TransferFailure[];
  /** Why the transfer failed or is being retried. */
  readonly error: unknown;
  readonly bytes_per_second: number;
  /** How long the rate has been measured. */
  readonly measured_ms: number;
  readonly can_pause: boolean;
  /** For a waiting row: a click is enough, without choosing the file again. */
  readonly has_handle: boolean;
}

export type NewTransfer = Pick<TransferRow, 'id' | 'kind' | 'name' | 'server_id' | 'directory'> &
  Partial<TransferRow>;

export function toRow(fields: NewTransfer): TransferRow {
  return {
    state: 'queued',
    sent_bytes: 0,
    total_bytes: undefined,
    done_files: 0,
    skipped_files: 0,
    replaced_files: 0,
    doubled_files: 0,
    total_files: undefined,
    failed_files: 0,
    left_behind: 0,
    failures: [],
    error: undefined,
    bytes_per_second: 0,
    measured_ms: 0,
    can_pause: true,
    has_handle: false,
    ...fields,
  };
}

const ACTIVE: ReadonlySet<TransferState> = new Set(['queued', 'running', 'retrying', 'asking']);

/** Running, or about to run without user action. */
export function isActive({ state }: Pick<TransferRow, 'state'>): boolean {
  return ACTIVE.has(state);
}

export function isOver({ state }: Pick<TransferRow, 'state'>): boolean {
  return state === 'done' || state === 'failed';
}

export interface TransferSummary {
  readonly active: number;
  readonly paused: number;
  readonly failed: number;
  readonly done: number;
  /** Items that finished transfers skipped. */
  readonly skipped: number;
  readonly replaced: number;
  readonly doubled: number;
  /** Only active rows with a known size count. */
  readonly percent: number | undefined;
  readonly sent_bytes: number;
  readonly total_bytes: number;
  readonly bytes_per_second: number;
  /** The longest of the active rows. */
  readonly measured_ms: number;
}

export function summaryOf(rows: readonly TransferRow[]): TransferSummary {
  const active = rows.filter(isActive);
  const done = rows.filter(({ state }) => state === 'done');
  const sized = active.filter(({ total_bytes }) => total_bytes !== undefined);
  const total = sum(sized, ({ total_bytes = 0 }) => total_bytes);
  const sent = sum(sized, ({ sent_bytes, total_bytes = 0 }) => Math.min(sent_bytes, total_bytes));
  return {
    active: active.length,
    paused: rows.filter(({ state }) => state === 'paused' || state === 'waiting').length,
    failed: rows.filter(hasFailed).length,
    done: done.length,
    skipped: sum(done, skippedIn),
    replaced: sum(done, ({ replaced_files }) => replaced_files),
    doubled: sum(done, ({ doubled_files }) => doubled_files),
    percent: total > 0 ? Math.floor((100 * sent) / total) : undefined,
    sent_bytes: sent,
    total_bytes: total,
    bytes_per_second: sum(active, ({ bytes_per_second }) => bytes_per_second),
    measured_ms: Math.max(0, ...active.map(({ measured_ms }) => measured_ms)),
  };
}

/** Not if the user canceled it. */
function hasFailed({ state, failed_files, error }: TransferRow): boolean {
  if (error instanceof ClientError && error.code === 'extract_canceled') return false;
  return state === 'failed' || (state !== 'done' && failed_files > 0);
}

export function skippedIn({ skipped_files, left_behind }: TransferRow): number {
  return skipped_files + left_behind;
}

function sum(rows: readonly TransferRow[], of: (row: TransferRow) => number): number {
  return rows.reduce((total, row) => total + of(row), 0);
}
