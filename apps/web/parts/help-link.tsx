import CircleQuestionMark from 'lucide-solid/icons/circle-question-mark';
import { useApp } from '../app/context.ts';

interface Props {
  /** A page of the manual, and a heading in it. */
  readonly path: string;
  /** What it explains. */
  readonly about: string;
}

/** Opens the manual in another tab, where it explains what is shown beside the link. */
export function HelpLink(props: Props) {
  const { client, t } = useApp();
  const label = () => t('help_about', { name: props.about });
  return (
    <a
      class="icon-button icon-button-small"
      href={client.url(`/help/${props.path}`).href}
      target="_blank"
      rel="noopener"
      aria-label={label()}
      title={label()}
    >
      <CircleQuestionMark size={17} aria-hidden="true" />
    </a>
  );
}
