import type { AuditEntry } from './audit.ts';

/** A row of the log: an entry, or what one user did to several files of a server in one go. */
export interface AuditRow {
  readonly id: string;
  /** The newest of the entries. */
  readonly entry: AuditEntry;
  /** All entries of the row, the newest first; one unless the row is a group. */
  readonly entries: readonly AuditEntry[];
  /** One of the entries of the open group before it. */
  readonly is_member: boolean;
}

const FEWEST = 3; // two entries take no more room than a group that is opened
const ABOUT_FILES = 'sftp_';

/** Joins neighbours that differ only in the file. */
export function groupEntries(
  entries: readonly AuditEntry[],
  isOpen: (id: string) => boolean = () => false,
): readonly AuditRow[] {
  return runsOf(entries).flatMap((run) => {
    if (run.length < FEWEST) return run.map((entry) => rowOf([entry], false));
    const row = rowOf(run, false);
    return isOpen(row.id) ? [row, ...run.map((entry) => rowOf([entry], true))] : [row];
  });
}

function runsOf(entries: readonly AuditEntry[]): AuditEntry[][] {
  const runs: AuditEntry[][] = [];
  for (const entry of entries) {
    const run = runs.at(-1);
    const before = run?.at(-1);
    if (run && before && isOneGo(before, entry)) run.push(entry);
    else runs.push([entry]);
  }
  return runs;
}

function isOneGo(one: AuditEntry, other: AuditEntry): boolean {
  const server = serverOf(one);
  return (
    one.action.startsWith(ABOUT_FILES) &&
    server !== undefined &&
    server === serverOf(other) &&
    one.action === other.action &&
    one.username === other.username &&
    one.via === other.via &&
    one.phrase?.code === other.phrase?.code
  );
}

/** `web-1 (#7)`, at the start of the detail. */
export function serverOf({ detail }: Pick<AuditEntry, 'detail'>): string | undefined {
  return /^.*?\(#\d+\)(?=: |$)/.exec(detail)?.[0];
}

/** A group is known by its oldest entry, which stays when more are added. */
function rowOf(entries: readonly AuditEntry[], is_member: boolean): AuditRow {
  const [entry] = entries;
  const oldest = entries.at(-1);
  if (!entry || !oldest) throw new RangeError('A row has an entry');
  const id = entries.length > 1 ? `group-${oldest.id}` : String(entry.id);
  return { id, entry, entries, is_member };
}

export function isGroup({ entries }: AuditRow): boolean {
  return entries.length > 1;
}

/** The server and the folder that have all the files. */
export function placeOfGroup({ entry, entries }: AuditRow): string {
  const server = serverOf(entry) ?? '';
  const paths = entries.map(({ detail }) => detail.slice(server.length + 2));
  const [first = [], ...others] = paths.map((path) => path.split('/').slice(0, -1));
  const common = others.reduce(commonStart, first);
  return `${server}: ${common.join('/') || '/'}`;
}

function commonStart(one: readonly string[], other: readonly string[]): string[] {
  const end = one.findIndex((part, at) => part !== other[at]);
  return one.slice(0, end < 0 ? one.length : end);
}
