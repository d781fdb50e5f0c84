import { useQuery } from '@tanstack/solid-query';
import { createMemo } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { usersQuery } from '../../lib/users.ts';
import { type QueryKey, toValues } from '../../parts/query-bar/keys.ts';
import { type Problem, periodOf, type Query, valuesOf } from '../../parts/query-bar/read.ts';
import { timeKeys } from '../../parts/query-bar/times.ts';
import { type Server, serversQuery } from '../../servers/servers.ts';
import { type AuditConditions, auditActionsQuery, isVia, VIAS, viaOf } from './audit.ts';

const FAILURES: readonly string[] = [
  'directory_unavailable',
  'login_failed',
  'proof_failed',
  'recording_stop',
  'terminal_refuse',
];
/** In the detail of entries about work that was not completed. */
const NOT_COMPLETED = 'not completed';
const NO_ACTION = '-';
const LONGEST_WORD = 200;
// Together, as the API takes them.
const MOST_TEXTS = 10;
const LONGEST_TEXTS = 400;

/** Returns the keys that find entries of the audit log. */
export function createAuditKeys() {
  const { client, preferences, t } = useApp();
  const users = useQuery(() => usersQuery(client));
  const servers = useQuery(() => serversQuery(client));
  const actions = useQuery(() => auditActionsQuery(client));
  const user_names = createMemo(() => toValues((users.data ?? []).map(({ username }) => username)));
  const server_names = createMemo(() => toValues((servers.data ?? []).map(({ name }) => name)));
  const action_names = createMemo(() => {
    const { compare } = new Intl.Collator(preferences.values.language);
    return actions.data
      ?.map((value) => ({ value, label: t.optional(`action_${value}`) ?? value }))
      .sort((one, other) => compare(one.label, other.label));
  });
  const vias = createMemo(() => VIAS.map((value) => ({ value, label: viaOf(value, t) })));
  const outcomes = createMemo(() => [
    { value: 'failed', label: t('audit_outcome_failed') },
    { value: 'stopped', label: t('audit_outcome_stopped') },
  ]);
  const times = timeKeys(t);
  const keys = (): readonly QueryKey[] => [
    { key: 'user', label: 'user', is_open: true, values: user_names },
    { key: 'action', label: 'action', is_many: true, values: action_names },
    { key: 'server', label: 'server', is_open: true, values: server_names },
    ...times,
    { key: 'address', label: 'address', is_open: true },
    { key: 'via', label: 'via', values: vias },
    { key: 'outcome', label: 'audit_outcome', values: outcomes },
  ];
  return { keys, servers: () => servers.data ?? [] };
}

type Named = Pick<Server, 'id' | 'name'>;

/** The query as the API takes it. */
export function auditConditions(query: Query, servers: readonly Named[]): AuditConditions {
  const one = (key: string) => valuesOf(query, key)[0];
  const via = one('via') ?? '';
  const { applied } = textsOf(query, servers);
  const conditions = {
    username: one('user'),
    address: one('address'),
    actions: actionsOf(query),
    searches: applied.length > 0 ? applied : undefined,
    ...periodOf(query),
  };
  const set = Object.fromEntries(Object.entries(conditions).filter(([, value]) => value !== undefined));
  return isVia(via) ? { ...set, via } : set;
}

/** Names the words that are left out because the query is too long. */
export function auditProblem(query: Query, servers: readonly Named[]): Problem | undefined {
  const { left } = textsOf(query, servers);
  if (left.length === 0) return undefined;
  const values = { source: left.join(' '), most: MOST_TEXTS, longest: LONGEST_TEXTS };
  return { text: 'query_too_long', values };
}

/** The texts that an entry must contain, those of tokens first, and the words for which there is no room. */
function textsOf(query: Query, servers: readonly Named[]) {
  const of_tokens = [
    ...labelsOf(query, servers),
    ...(valuesOf(query, 'outcome')[0] === 'stopped' ? [NOT_COMPLETED] : []),
  ];
  const texts = [...of_tokens, ...query.words].map((text) => text.slice(0, LONGEST_WORD));
  let length = 0;
  const first_left = texts.findIndex((text, index) => {
    length += text.length;
    return index >= MOST_TEXTS || length > LONGEST_TEXTS;
  });
  const end = first_left < 0 ? texts.length : first_left;
  return { applied: texts.slice(0, end), left: texts.slice(end) };
}

/** Returns the wanted actions. Under `outcome:failed`, an action that is not a failure finds nothing. */
function actionsOf(query: Query): string[] | undefined {
  const actions = valuesOf(query, 'action');
  if (valuesOf(query, 'outcome')[0] !== 'failed') return actions.length > 0 ? [...actions] : undefined;
  const failed = actions.length > 0 ? FAILURES.filter((action) => actions.includes(action)) : [...FAILURES];
  return failed.length > 0 ? failed : [NO_ACTION];
}

/** Entries name a server as `web-1 (#7)`; of one that was deleted, the page knows the name only. */
function labelsOf(query: Query, servers: readonly Named[]): string[] {
  return valuesOf(query, 'server').map((name) => {
    const server = servers.find((one) => one.name.toLowerCase() === name.toLowerCase());
    return server ? `${server.name} (#${server.id})` : `${name} (#`;
  });
}
