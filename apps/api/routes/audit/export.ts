import { utf8 } from '#core/lib/bytes/bytes.ts';
import type { AuditEntry } from '#core/model/audit/audit.ts';

const COLUMNS = [
  'id',
  'created_at',
  'user_id',
  'username',
  'action',
  'detail',
  'ip_address',
  'hash',
  'via',
] as const satisfies readonly (keyof AuditEntry)[];

export const EXPORT_FORMATS = {
  csv: {
    content_type: 'text/csv; charset=utf-8; header=present',
    head: csvLine([...COLUMNS]),
    line: csvEntry,
  },
  ndjson: { content_type: 'application/x-ndjson', head: '', line: jsonEntry },
} as const;

/** One chunk per page; the next page is read when the client has read the last one. */
export function exportStream(
  pages: AsyncGenerator<AuditEntry[]>,
  format: keyof typeof EXPORT_FORMATS,
): ReadableStream<Uint8Array> {
  const { head, line } = EXPORT_FORMATS[format];
  let pending = head;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        let text = pending;
        pending = '';
        while (text === '') {
          const { done, value } = await pages.next();
          if (done) return controller.close();
          text = value.map(line).join('');
        }
        controller.enqueue(utf8(text));
      },
      async cancel() {
        await pages.return(undefined);
      },
    },
    { highWaterMark: 0 },
  );
}

function jsonEntry(entry: AuditEntry): string {
  return `${JSON.stringify(entry)}\n`;
}

function csvEntry(entry: AuditEntry): string {
  return csvLine(COLUMNS.map((column) => String(entry[column] ?? '')));
}

/** RFC 4180. */
function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/** Prefixes an apostrophe to cells that a spreadsheet would run as a formula, full-width signs included. */
function csvCell(text: string): string {
  const safe = /^\s*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
