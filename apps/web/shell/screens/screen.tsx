import { A } from '@solidjs/router';
import X from 'lucide-solid/icons/x';
import { For, onMount, type ParentProps } from 'solid-js';
import { useApp } from '../../app-context.ts';
import { createFocusHold } from '../../parts/focus.ts';
import { useWorkspace } from '../workspace.ts';
import type { Section } from './sections.ts';
import './screen.css';

interface Props {
  readonly title: string;
  /** Path of the screen; its sections' paths are below it. */
  readonly base: string;
  readonly sections: readonly Section[];
  /** Too many sections for one line: wide screens show them at the side. */
  readonly many?: boolean;
}

/** A screen shown instead of the tabs, with its own navigation. */
export function Screen(props: ParentProps<Props>) {
  const { t } = useApp();
  const { leaveScreen } = useWorkspace();
  let heading: HTMLHeadingElement | undefined;
  let nav: HTMLElement | undefined;
  onMount(() => {
    heading?.focus();
    nav?.querySelector('[aria-current="page"]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  });
  return (
    <section class="screen" classList={{ 'screen-many': props.many ?? false }} aria-labelledby="screen-title">
      <header class="screen-head">
        <h2 class="screen-title" id="screen-title" tabIndex={-1} ref={heading}>
          {props.title}
        </h2>
        <nav class="screen-nav" aria-label={props.title} ref={nav}>
          <For each={props.sections}>
            {({ id, label }) => (
              <A class="screen-link" href={`${props.base}/${id}`}>
                {t(label)}
              </A>
            )}
          </For>
        </nav>
        <button
          type="button"
          class="icon-button screen-close"
          aria-label={t('close_screen')}
          title={t('close_screen')}
          onClick={leaveScreen}
        >
          <X size={18} aria-hidden="true" />
        </button>
      </header>
      <div class="screen-body" ref={createFocusHold()}>
        {props.children}
      </div>
    </section>
  );
}
