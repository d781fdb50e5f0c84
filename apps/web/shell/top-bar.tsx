import { A } from '@solidjs/router';
import PanelLeft from 'lucide-solid/icons/panel-left';
import Search from 'lucide-solid/icons/search';
import Settings from 'lucide-solid/icons/settings';
import { type JSX, Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { useWorkspace } from '../workspace/workspace.ts';
import { Keys } from './keyboard/keys.tsx';
import { paletteChord } from './keyboard/shortcuts.ts';
import { TabStrip } from './tabs/strip.tsx';

const NARROW = '(max-width: 720px), (max-height: 480px)'; // as in the style sheet

export function TopBar(props: { title: string; account: JSX.Element }) {
  const { preferences, session, t } = useApp();
  const { panes, screen, setSheetOpen, show, tabs } = useWorkspace();

  const chord = () => paletteChord(tabs.active());

  function toggleRail(): void {
    if (matchMedia(NARROW).matches) setSheetOpen(true);
    else preferences.set('rail_open', !preferences.values.rail_open);
  }

  const toggle_label = () => t(screen() ? 'show_navigation' : 'toggle_rail');

  return (
    <header class="top-bar">
      <h1 class="visually-hidden">{props.title}</h1>
      <button
        type="button"
        class="icon-button"
        classList={{ 'only-narrow': screen() !== undefined }}
        aria-label={toggle_label()}
        title={toggle_label()}
        aria-expanded={preferences.values.rail_open}
        onClick={toggleRail}
      >
        <PanelLeft size={18} aria-hidden="true" />
      </button>
      <Show when={!panes.is_split()} fallback={<span class="tab-strip" />}>
        <TabStrip group_id={panes.group_ids()[0] ?? ''} />
      </Show>
      <button
        type="button"
        class="palette-button"
        title={`${t('command_palette')} (${chord().replaceAll(' ', '+')})`}
        onClick={() => show({ kind: 'palette' })}
      >
        <Search size={16} aria-hidden="true" />
        <span class="palette-button-text">{t('go_to')}</span>
        <span class="palette-button-keys">
          <Keys chord={chord()} />
        </span>
      </button>
      <Show when={session.user()?.is_admin}>
        <A class="admin-link" href="/admin" title={t('administration')}>
          <Settings size={17} aria-hidden="true" />
          <span class="admin-link-text">{t('administration')}</span>
        </A>
      </Show>
      {props.account}
    </header>
  );
}
