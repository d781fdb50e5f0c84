import { useParams } from '@solidjs/router';
import ChevronsUpDown from 'lucide-solid/icons/chevrons-up-down';
import { onMount, type ParentProps } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { createFocusHold } from '../../parts/focus.ts';
import { DrawerPlace } from '../../parts/table/drawer.tsx';
import { type Screen as ScreenName, useWorkspace } from '../workspace.ts';
import { SCREENS, type Section } from './sections.ts';
import { ShownScreen } from './shown-screen.ts';
import './screen.css';

/** A screen shown instead of the tabs; the rail’s place has its navigation. */
export function Screen(props: ParentProps<{ name: ScreenName }>) {
  const { t } = useApp();
  const title = () => t(SCREENS[props.name].title);
  let heading: HTMLHeadingElement | undefined;
  onMount(() => heading?.focus());
  return (
    <section class="screen" aria-labelledby="screen-title">
      <h2 class="screen-title visually-hidden" id="screen-title" tabIndex={-1} ref={heading}>
        {title()}
      </h2>
      <NavigationButton name={props.name} />
      <DrawerPlace>
        <div class="screen-body" ref={createFocusHold()}>
          <ShownScreen.Provider value={props.name}>{props.children}</ShownScreen.Provider>
        </div>
      </DrawerPlace>
    </section>
  );
}

/** On narrow screens: says which section is shown, and opens the navigation. */
function NavigationButton(props: { name: ScreenName }) {
  const { t } = useApp();
  const { setSheetOpen } = useWorkspace();
  const params = useParams();
  const label = () => {
    const { title, sections } = SCREENS[props.name];
    const section = (sections as readonly Section[]).find(({ id }) => id === params['section']);
    return section ? `${t(title)} · ${t(section.label)}` : t(title);
  };
  return (
    <button type="button" class="screen-where" aria-haspopup="dialog" onClick={() => setSheetOpen(true)}>
      {label()}
      <ChevronsUpDown size={16} aria-hidden="true" />
    </button>
  );
}
