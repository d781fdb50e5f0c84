import * as Dialog from '@kobalte/core/dialog';
import { A } from '@solidjs/router';
import ArrowLeft from 'lucide-solid/icons/arrow-left';
import X from 'lucide-solid/icons/x';
import { createUniqueId, For, onMount, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { groupSections, type Place, SCREENS, type Section } from '../../workspace/screens/sections.ts';
import { type Screen, useWorkspace } from '../../workspace/workspace.ts';
import './navigation.css';

/** The sections of Administration or Account, shown in the rail’s place. */
export function ScreenNavigation(props: { screen: Screen; onChosen?: () => void }) {
  const { t } = useApp();
  const { leaveScreen } = useWorkspace();
  const place = (): Place => SCREENS[props.screen];
  let nav: HTMLElement | undefined;
  onMount(() => nav?.querySelector('[aria-current="page"]')?.scrollIntoView({ block: 'nearest' }));
  function leave(): void {
    props.onChosen?.();
    leaveScreen();
  }
  return (
    <nav class="screen-nav" aria-label={t(place().title)} ref={nav}>
      <button type="button" class="screen-back" onClick={leave}>
        <ArrowLeft size={16} aria-hidden="true" /> {t('close_screen')}
      </button>
      <p class="screen-nav-title">{t(place().title)}</p>
      <For each={groupSections(place().sections)}>
        {({ title, sections }) => (
          <Links title={t(title)} base={place().base} sections={sections} onChosen={props.onChosen} />
        )}
      </For>
      <OtherScreen screen={props.screen} onChosen={props.onChosen} />
    </nav>
  );
}

interface LinksProps {
  readonly title: string;
  readonly base: string;
  readonly sections: readonly Section[];
  readonly onChosen: (() => void) | undefined;
}

function Links(props: LinksProps) {
  const { t } = useApp();
  const id = createUniqueId();
  return (
    <>
      <p class="screen-nav-group" id={id}>
        {props.title}
      </p>
      <ul aria-labelledby={id}>
        <For each={props.sections}>
          {(section) => (
            <li>
              <A class="screen-link" href={`${props.base}/${section.id}`} onClick={() => props.onChosen?.()}>
                {t(section.label)}
              </A>
            </li>
          )}
        </For>
      </ul>
    </>
  );
}

/** Leads from Account to Administration and back. */
function OtherScreen(props: { screen: Screen; onChosen: (() => void) | undefined }) {
  const { session, t } = useApp();
  const other = () => SCREENS[props.screen === 'admin' ? 'account' : 'admin'];
  const is_allowed = () => props.screen === 'admin' || session.user()?.is_admin === true;
  return (
    <Show when={is_allowed()}>
      <A class="screen-link screen-other" href={other().base} onClick={() => props.onChosen?.()}>
        {t(other().title)}
      </A>
    </Show>
  );
}

/** The navigation on narrow screens. */
export function ScreenSheet(props: { screen: Screen }) {
  const { place, t } = useApp();
  const { sheet_open, setSheetOpen } = useWorkspace();
  const close = () => setSheetOpen(false);
  return (
    <Dialog.Root open={sheet_open()} onOpenChange={setSheetOpen}>
      <Dialog.Portal {...place.portal}>
        <Dialog.Overlay class="overlay" />
        <Dialog.Content class="sheet">
          <Dialog.Title class="visually-hidden">{t(SCREENS[props.screen].title)}</Dialog.Title>
          <Dialog.CloseButton class="icon-button sheet-close" aria-label={t('close')}>
            <X size={18} aria-hidden="true" />
          </Dialog.CloseButton>
          <ScreenNavigation screen={props.screen} onChosen={close} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
