import { useParams } from '@solidjs/router';
import { Show, useContext } from 'solid-js';
import { HelpLink } from '../../parts/help-link.tsx';
import { SCREENS, type Section } from './sections.ts';
import { ShownScreen } from './shown-screen.ts';

interface Props {
  readonly id: string;
  readonly text: string;
}

/** The title of the section that a screen shows, with the manual beside it. */
export function SectionTitle(props: Props) {
  const screen = useContext(ShownScreen);
  const params = useParams();
  const sections: readonly Section[] = screen ? SCREENS[screen].sections : [];
  const help = () => sections.find(({ id }) => id === params['section'])?.help;
  return (
    <div class="section-heading">
      <h3 class="section-title" id={props.id}>
        {props.text}
      </h3>
      <Show when={help()}>{(path) => <HelpLink path={path()} about={props.text} />}</Show>
    </div>
  );
}
