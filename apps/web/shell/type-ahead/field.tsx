import { createComputed, createEffect, on, onCleanup, onMount } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { activeElement } from '../../lib/root.ts';
import { useOpenTerminals } from '../../open-terminals/open-terminals.ts';
import type { Typed } from '../../open-terminals/type-ahead.ts';
import { isInMenu, isInTerminal, mayTakeFocus, TYPE_AHEAD } from '../../workspace/focus.ts';
import { createPaneFocus } from '../../workspace/panes/focus.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { typedKey } from './typed-key.ts';

/** Has the focus from the moment a terminal is chosen until it can have it. */
export function TypeAheadField() {
  const { place, t } = useApp();
  const workspace = useWorkspace();
  const { tabs } = workspace;
  const { typing } = useOpenTerminals();
  let field: HTMLTextAreaElement | undefined;
  const focus = () => field?.focus({ preventScroll: true });
  const isFree = () => mayTakeFocus(place) && !isInMenu();

  onMount(() =>
    typing.attach({
      focus(is_claimed) {
        if (field) field.dataset['claimed'] = String(is_claimed);
        if (is_claimed || isFree()) focus();
      },
      leave() {
        const active = activeElement();
        if (active instanceof HTMLElement && isInTerminal(active)) active.blur();
      },
    }),
  );
  onCleanup(() => typing.attach(undefined));
  createPaneFocus(
    workspace,
    () => tabs.active()?.kind === 'terminal' && !typing.isBound(tabs.active()?.id),
    focus,
  );
  /** The browser's Back and Forward activate tabs, too. */
  createComputed(
    on(
      () => tabs.active(),
      (active) => {
        if (!active || typing.target() === active.id) return;
        const is_there = activeElement()?.closest(`[id="panel-${active.id}"]`) != null;
        if (!is_there) typing.aim(active.kind === 'terminal' ? active.id : undefined);
      },
    ),
  );
  createEffect(() => {
    const ids = new Set(tabs.mounted.map(({ id }) => id));
    typing.prune((id) => ids.has(id));
  });

  return (
    <textarea
      class={`${TYPE_AHEAD} visually-hidden`}
      ref={field}
      aria-label={t('type_ahead')}
      tabIndex={-1}
      autocomplete="off"
      autocapitalize="off"
      spellcheck={false}
      {...listeners(typing.typed)}
    />
  );
}

type FieldEvent<E extends Event> = E & { readonly currentTarget: HTMLTextAreaElement };

/** Passes on keys, text, composed text and pastes in the order in which they come. */
function listeners(pass: (typed: Typed) => void) {
  function flush(field: HTMLTextAreaElement): void {
    const { value: data } = field;
    field.value = '';
    if (data !== '') pass({ kind: 'keys', data });
  }
  return {
    onKeyDown(event: FieldEvent<KeyboardEvent>): void {
      const data = event.isComposing ? undefined : typedKey(event);
      if (data === undefined) return;
      event.preventDefault();
      flush(event.currentTarget);
      pass({ kind: 'keys', data });
    },
    onInput(event: FieldEvent<InputEvent>): void {
      if (!event.isComposing) flush(event.currentTarget);
    },
    onCompositionEnd: (event: FieldEvent<CompositionEvent>) => flush(event.currentTarget),
    onPaste(event: FieldEvent<ClipboardEvent>): void {
      event.preventDefault();
      const text = event.clipboardData?.getData('text/plain') ?? '';
      if (text !== '') pass({ kind: 'paste', text });
    },
  };
}
