import { type AuditFilter, queryOf } from './audit.ts';

type Wanted = Partial<Pick<AuditFilter, 'username' | 'action' | 'search'>>;

/** The audit log, filtered to entries since this minute. */
export function auditPath(since: Date, wanted: Wanted): string {
  const none = { username: '', action: '', search: '', until: '', page: 0 };
  const query = queryOf({ ...none, ...wanted, since: localMinute(since) });
  const named = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  return `/admin/audit?${new URLSearchParams(named)}`;
}

/** In local time, as date-time inputs have it. */
function localMinute(moment: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const day = [moment.getFullYear(), two(moment.getMonth() + 1), two(moment.getDate())].join('-');
  return `${day}T${two(moment.getHours())}:${two(moment.getMinutes())}`;
}
