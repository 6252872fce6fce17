import { ShieldOff } from 'lucide-react';
import { say } from '../../kit/state/messages.ts';
import { libraryOf, useLibrary } from '../../kit/state/library.ts';
import { usePage } from '../../kit/state/page.ts';
import { Menu } from '../../kit/ui/Menu.tsx';
import { writeCopyCommand } from '../files/copyCommand.ts';
import styles from './SelectionBar.module.css';

const TITLE = 'Copies without identifiers';

type Props = {
  /** The condition that the rows meet; undefined if it would be too long. */
  readonly where: string | undefined;
};

/** Shows the command that writes copies of the selected rows without identifiers. */
export function CopyMenu({ where }: Props) {
  const isMasked = useLibrary(({ summary }) => summary?.masked === true);
  // The command finds files by their own UIDs, which a masked run does not show.
  if (isMasked) return null;
  return (
    <Menu
      label={TITLE}
      face={
        <>
          <ShieldOff size={16} aria-hidden="true" />
          <span className={styles.face}>Copies</span>
        </>
      }
    >
      {(close) => <CopyCommand where={where} close={close} />}
    </Menu>
  );
}

function CopyCommand({ where, close }: Props & { readonly close: () => void }) {
  const page = usePage();
  const command =
    where === undefined
      ? undefined
      : writeCopyCommand(
          libraryOf(page)
            .getState()
            .files.map(({ path }) => path),
          where,
        );
  const copy = () => {
    close();
    navigator.clipboard.writeText(command ?? '').then(
      () => say(page, 'The command is in the clipboard.'),
      () => say(page, 'The clipboard cannot be used here: select the command instead.', 'failed'),
    );
  };
  return (
    <div className={styles.copies}>
      {command === undefined ? (
        <p className={styles.note}>These are too many rows of their own; select all of a narrower condition.</p>
      ) : (
        <>
          <code className={styles.command}>{command}</code>
          <button type="button" className={styles.line} onClick={copy}>
            Copy the command
          </button>
        </>
      )}
      <p className={styles.note}>
        Run it where the files are. It writes copies of the selected rows into a new folder, in which identifiers are
        removed or replaced, and says what is still there. Look at the copies before you give them away.
      </p>
    </div>
  );
}
