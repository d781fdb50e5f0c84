import { useQuery } from '@tanstack/solid-query';
import { type Accessor, createSignal } from 'solid-js';
import { useApp } from '../app/context.ts';
import { configQuery } from '../lib/gateway-info.ts';
import { createPlace } from '../lib/storage.ts';
import type { Tabs } from '../workspace/tabs/tabs.ts';
import type { Destination } from './destination.ts';

const DEFAULT_PORT = 22;
const RECENTS = 10;

/** Whether users may connect to hosts that are not registered as servers. */
export function useQuickConnectEnabled(): Accessor<boolean> {
  const { client } = useApp();
  const config = useQuery(() => configQuery(client));
  return () => config.data !== undefined && config.data.quick_connect !== false && !config.data.demo_mode;
}

export interface QuickTarget {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly terminal_type?: string;
  readonly terminal_encoding?: string;
}

export function targetOf({ host, port = DEFAULT_PORT, username }: Destination): QuickTarget | undefined {
  return username ? { host, port, username } : undefined;
}

export function formatTarget({ host, port, username }: QuickTarget): string {
  const name = host.includes(':') && port !== DEFAULT_PORT ? `[${host}]` : host;
  return `${username}@${name}${port === DEFAULT_PORT ? '' : `:${port}`}`;
}

/** Opens and activates a tab and returns its id; the terminal prompts for missing credentials. */
export function openQuick(tabs: Pick<Tabs, 'open'>, target: QuickTarget): string {
  const aim = { kind: 'quick', ...target } as const;
  return tabs.open({ kind: 'terminal', server_id: 0, server_name: formatTarget(target), aim });
}

/** Recent destinations, stored in this browser without credentials. */
export interface QuickRecents {
  readonly list: Accessor<readonly string[]>;
  readonly on: Accessor<boolean>;
  add(target: QuickTarget): void;
  clear(): void;
  /** Turning it off also clears the list. */
  setOn(on: boolean): void;
}

export function createQuickRecents(user_id: number): QuickRecents {
  const place = createPlace('local', `quick:${user_id}`);
  const [kept, setKept] = createSignal(readRecents(place.read()));
  const update = (next: Recents) => {
    setKept(next);
    place.write(next);
  };
  return {
    list: () => kept().list,
    on: () => kept().on,
    add(target) {
      if (kept().on) update({ on: true, list: withRecent(kept().list, formatTarget(target)) });
    },
    clear: () => update({ ...kept(), list: [] }),
    setOn: (on) => update({ on, list: [] }),
  };
}

interface Recents {
  readonly on: boolean;
  readonly list: readonly string[];
}

/** Newest first, without duplicates. */
export function withRecent(list: readonly string[], line: string): string[] {
  return [line, ...list.filter((known) => known !== line)].slice(0, RECENTS);
}

export function readRecents(kept: unknown): Recents {
  const value: Readonly<Record<string, unknown>> =
    typeof kept === 'object' && kept !== null ? { ...kept } : {};
  const list = Array.isArray(value['list']) ? value['list'] : [];
  return {
    on: value['on'] !== false,
    list: list.filter((line): line is string => typeof line === 'string').slice(0, RECENTS),
  };
}
