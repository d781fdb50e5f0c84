import type { Body, Operation } from './document.ts';

export interface Refusal {
  readonly status: string;
  readonly code: string;
  readonly meaning: string;
  /** Close code of a WebSocket that was opened. */
  readonly close_code: string | undefined;
  /** Any operation may refuse so. */
  readonly is_general: boolean;
}

/** The document only names the codes that are the same everywhere. */
const COMMON: Readonly<Record<string, string>> = {
  not_authenticated: 'The request has no token',
  invalid_token: 'The token is unknown or has expired',
  invalid_api_key: 'The API key is unknown, revoked or expired',
  invalid_ticket: 'The ticket is unknown, used or expired',
  pending_2fa: 'The sign-in still needs its second factor',
  password_change_required: 'The user has to change the password first',
  admin_only: 'Only administrators may do this',
  session_required: 'API keys are refused here: use the token of a sign-in',
  step_up_required: 'Confirm the password first, with POST /api/auth/step-up',
  scope_missing: 'The API key lacks the scope of this operation',
  embed_refused: 'An embedded session cannot do this',
  embed_read_only: 'This embedded session is read-only',
  origin_refused: 'Pages of this origin may not call the gateway: see SERVICE_ALLOWED_ORIGINS',
  demo_mode: 'Demo mode: nothing can be changed',
  destination_refused: 'A file cannot be loaded as a script, a style, a worker or a frame',
};

/** What one operation may refuse, by status; the last are those that any operation may refuse. */
export function refusalsOf({ responses = {} }: Pick<Operation, 'responses'>): Refusal[] {
  return Object.entries(responses).flatMap(([status, response]) => readRefusals(status, response));
}

/** Each code of an API once, in alphabetical order. */
export function allRefusals(operations: readonly Operation[]): Refusal[] {
  const known = new Map<string, Refusal>();
  for (const refusal of operations.flatMap(refusalsOf)) {
    const { close_code, ...kept } = refusal;
    const before = known.get(refusal.code);
    known.set(refusal.code, { ...kept, close_code: close_code ?? before?.close_code });
  }
  return [...known.values()].sort((one, other) => (one.code < other.code ? -1 : 1));
}

/** A description has each code in backticks, a status or close code in parentheses, and mostly what it means. */
function readRefusals(status: string, { description = '', 'x-codes': codes = [] }: Body): Refusal[] {
  const parts = description.split(/(?:^|[.:] )(?=`\w+`)/);
  return codes.map((code) => {
    const part = parts.find((one) => one.startsWith(`\`${code}\``)) ?? '';
    const [, close_code] = /^`\w+` \(close code (\d+)\)/.exec(part) ?? [];
    const [, exact] = /^`\w+` \((\d+)\)/.exec(part) ?? [];
    const [, text = ''] = /^`\w+`(?: \([^)]*\))?: (.*)$/s.exec(part) ?? [];
    const meaning = text.replace(/\.$/, '') || (COMMON[code] ?? '');
    const is_general = status.endsWith('XX');
    return { status: exact ?? status, code, meaning, close_code, is_general };
  });
}
