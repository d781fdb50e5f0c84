import { For } from 'solid-js';
import { useApp } from '../../app/context.ts';
import type { TextKey } from '../../i18n/languages.ts';
import type { TerminalController } from '../controller.ts';
import { KEY_BAR_KEYS, type KeyBarKey, type Modifiers } from './keys.ts';

/** The label on a key. A key with a word on it uses that word as its name. */
const FACES: Readonly<Partial<Record<KeyBarKey, { face: string; name?: TextKey }>>> = {
  esc: { face: 'Esc' },
  tab: { face: 'Tab' },
  up: { face: '↑', name: 'key_up' },
  down: { face: '↓', name: 'key_down' },
  left: { face: '←', name: 'key_left' },
  right: { face: '→', name: 'key_right' },
  home: { face: 'Home' },
  end: { face: 'End' },
  page_up: { face: 'PgUp' },
  page_down: { face: 'PgDn' },
};
const BEFORE_PASTE = 2; // with Ctrl and Alt, Paste is among the first five, which need no scrolling
const HELD: readonly (keyof Modifiers)[] = ['ctrl', 'alt'];

/** Keys that an on-screen keyboard lacks. Pressing one keeps that keyboard open, or opens it if a letter must follow. */
export function KeyBar(props: { controller: TerminalController }) {
  const { t } = useApp();
  const bringKeyboard = (event: Event) => {
    event.preventDefault();
    props.controller.focus();
  };
  return (
    <div class="key-bar" role="toolbar" aria-label={t('key_bar')}>
      <For each={HELD}>
        {(name) => (
          <button
            type="button"
            class="key"
            aria-pressed={props.controller.keys.held()[name]}
            onPointerDown={bringKeyboard}
            onMouseDown={bringKeyboard}
            onClick={() => props.controller.keys.toggle(name)}
          >
            {name === 'ctrl' ? 'Ctrl' : 'Alt'}
          </button>
        )}
      </For>
      <For each={KEY_BAR_KEYS.slice(0, BEFORE_PASTE)}>{(name) => <BarKey {...props} name={name} />}</For>
      <button
        type="button"
        class="key"
        onPointerDown={keepFocus}
        onMouseDown={keepFocus}
        onClick={() => void props.controller.paste.read()}
      >
        {t('paste')}
      </button>
      <For each={KEY_BAR_KEYS.slice(BEFORE_PASTE)}>{(name) => <BarKey {...props} name={name} />}</For>
    </div>
  );
}

function BarKey(props: { controller: TerminalController; name: KeyBarKey }) {
  const { t } = useApp();
  const face = FACES[props.name];
  return (
    <button
      type="button"
      class="key"
      aria-label={face?.name && t(face.name)}
      onPointerDown={keepFocus}
      onMouseDown={keepFocus}
      onClick={() => props.controller.press(props.name)}
    >
      {face?.face ?? props.name}
    </button>
  );
}

function keepFocus(event: Event): void {
  event.preventDefault();
}
