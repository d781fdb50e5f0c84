import type { AuditRow } from '../../model/audit/audit.ts';

const SIZE = / \((\d+) bytes\)$/;

/** Ends the audit entry of a save: how much it wrote, and nothing of the content. */
export function sizeDetail({ length }: Uint8Array): string {
  return ` (${length} bytes)`;
}

/** Ends the audit entry that restores an old copy. */
export function restoredDetail(copy_path: string): string {
  return `: restored from ${copy_path}`;
}

/** How many bytes a save wrote; undefined in entries of other actions and of earlier versions. */
export function sizeOf({ action, detail }: Pick<AuditRow, 'action' | 'detail'>): number | undefined {
  const [, size] = (action === 'sftp_write' && SIZE.exec(detail)) || [];
  return size === undefined ? undefined : Number(size);
}

/** Whether an entry about files names this one as a whole: no longer path, and not the same path on another server. */
export function isAbout({ detail }: Pick<AuditRow, 'detail'>, server_id: number, path: string): boolean {
  const label = `(#${server_id}): `;
  for (let at = detail.indexOf(path); at >= 0; at = detail.indexOf(path, at + 1)) {
    const [before, after] = [detail.slice(0, at), detail.slice(at + path.length)];
    if (isBegin(before) && isEnd(after) && labelBefore(before).endsWith(label)) return true;
  }
  return false;
}

const isBegin = (before: string) => /(: |, | to )$/.test(before);
const isEnd = (after: string) => /^($|, | to |: |; | \(\d+ bytes\)$)/.test(after);

/** Up to the last name of a server before a path, as in `web (#3): /a to mirror (#4): /b`. */
function labelBefore(before: string): string {
  const labels = [...before.matchAll(/ \(#\d+\): /g)];
  const last = labels.at(-1);
  return last ? before.slice(0, last.index + last[0].length) : '';
}
