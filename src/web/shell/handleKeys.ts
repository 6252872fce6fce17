import { findCommand } from '../state/commands.ts';
import { COMMANDS } from './commandTable.ts';
import { isForAnother } from './isForAnother.ts';

/** Runs the commands of the keys that nothing else takes, until the function that it returns is called. */
export function handleKeys(): () => void {
  /** Space plays when it is let go: until then it may be the beginning of a pan. */
  let isSpaceAlone = false;

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || isForAnother(event)) return;
    const command = findCommand(COMMANDS, event);
    if (command === undefined) return;
    event.preventDefault();
    if (event.key === ' ') isSpaceAlone = !event.repeat || isSpaceAlone;
    else command.run();
  };
  const onKeyUp = (event: KeyboardEvent) => {
    if (event.key !== ' ' || !isSpaceAlone) return;
    isSpaceAlone = false;
    findCommand(COMMANDS, event)?.run();
  };
  const onPointerDown = () => {
    isSpaceAlone = false;
  };
  addEventListener('keydown', onKeyDown);
  addEventListener('keyup', onKeyUp);
  addEventListener('pointerdown', onPointerDown);
  return () => {
    removeEventListener('keydown', onKeyDown);
    removeEventListener('keyup', onKeyUp);
    removeEventListener('pointerdown', onPointerDown);
  };
}
