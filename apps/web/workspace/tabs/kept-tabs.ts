import { readAim } from './aim.ts';
import { TAB_KINDS, type Tab, type TabPlace } from './tabs.ts';

/** Stored tabs of another user are ignored. */
export function readTabs(kept: unknown, user_id: number): Tab[] {
  if (!isRecord(kept) || kept['user_id'] !== user_id || !Array.isArray(kept['tabs'])) return [];
  return kept['tabs'].flatMap((value) => readTab(value) ?? []);
}

/** Undefined if a field that decides what is shown is not readable: the tab would show something else. */
function readTab(kept: unknown): Tab | undefined {
  if (!isRecord(kept)) return undefined;
  const place = readPlace(kept);
  const kind = TAB_KINDS.find((one) => one === kept['kind']);
  const subject = readSubject(kept);
  if (!place || !kind || !subject || typeof kept['id'] !== 'string') return undefined;
  if (kind === 'comparison' && !subject.other) return undefined;
  if (kind === 'recording' && subject.recording_id === undefined) return undefined;
  return { id: kept['id'], kind, ...place, ...subject, ...readState(kept), restored: true };
}

function readPlace({
  server_id,
  server_name,
  path,
}: Readonly<Record<string, unknown>>): TabPlace | undefined {
  const is_sound =
    typeof server_id === 'number' && typeof server_name === 'string' && typeof path === 'string';
  return is_sound ? { server_id, server_name, path } : undefined;
}

type Subject = Pick<Tab, 'aim' | 'other' | 'recording_id'>;

function readSubject({ aim, other, recording_id }: Readonly<Record<string, unknown>>): Subject | undefined {
  const read_aim = readAim(aim);
  if (aim !== undefined && !read_aim) return undefined;
  const read_other = isRecord(other) ? readPlace(other) : undefined;
  return {
    ...(read_aim ? { aim: read_aim } : {}),
    ...(read_other ? { other: read_other } : {}),
    ...(Number.isSafeInteger(recording_id) ? { recording_id: Number(recording_id) } : {}),
  };
}

function readState({
  session_id,
  readable_size,
  is_new,
  opener_id,
  title,
}: Readonly<Record<string, unknown>>) {
  return {
    ...(typeof title === 'string' ? { title } : {}),
    ...(typeof session_id === 'string' ? { session_id } : {}),
    ...(readable_size === true ? { readable_size } : {}),
    ...(is_new === true ? { is_new } : {}),
    ...(typeof opener_id === 'string' ? { opener_id } : {}),
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
