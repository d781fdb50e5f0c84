interface Wanted {
  readonly username?: string;
  readonly action?: string;
  readonly search?: string;
}

/** The audit log, filtered to entries since this minute. */
export function auditPath(since: Date, { username, action, search }: Wanted): string {
  const query = Object.entries({ username, action, search, since: localMinute(since) });
  const named = query.flatMap(([name, value]) => (value ? [[name, value]] : []));
  return `/admin/audit?${new URLSearchParams(named)}`;
}

/** In local time, as date-time inputs have it. */
function localMinute(moment: Date): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const day = [moment.getFullYear(), two(moment.getMonth() + 1), two(moment.getDate())].join('-');
  return `${day}T${two(moment.getHours())}:${two(moment.getMinutes())}`;
}
