import type { WireAttachment } from '../../../shared/contract/attachments.ts';
import type { FlipAxis } from '../../../shared/flipAxes.ts';
import { chooseStack } from '../api/attachmentPlaces.ts';
import type { ChoiceAddress } from './address.ts';
import { findNamedFile } from './fileNames.ts';
import { libraryOf } from './library.ts';
import type { Page } from './page.ts';
import { reloadAttachments } from './watchLibrary.ts';

/** The stack that the user wants an attachment to lie over, and how; an undefined file leaves it to the server. */
export type WantedPlace = {
  readonly file: number | undefined;
  readonly frame: number;
  readonly order: number;
  readonly flips: readonly FlipAxis[];
};

/** Lays an attachment where the user wants it. Throws if it does not fit there. */
export async function layAttachment(page: Page, attachment: number, wanted: WantedPlace): Promise<void> {
  await chooseStack(attachment, wanted);
  await reloadAttachments(page);
}

/** Repeats the decisions of a link. What the files of this run do not allow is left as it is. */
export async function applyChoices(page: Page, choices: readonly ChoiceAddress[]): Promise<void> {
  let hasChanged = false;
  for (const { name, instance, frameNumber, order, flips } of choices) {
    const attachment = findNamed(page, name);
    const file = findNamedFile(page, instance)?.index;
    if (attachment === undefined || file === undefined) continue;
    const frame = frameNumber - 1;
    const { choice } = attachment;
    const isSame =
      choice?.file_index === file &&
      choice.frame_index === frame &&
      choice.order === order &&
      choice.flips.join() === flips.join();
    if (isSame) continue;
    const isDone = await chooseStack(attachment.attachment, { file, frame, order, flips }).then(
      () => true,
      () => false,
    );
    hasChanged ||= isDone;
  }
  if (hasChanged) await reloadAttachments(page);
}

/** A link names it by the end of its path, as files without a UID; it need not lie over images yet. */
function findNamed(page: Page, name: string): WireAttachment | undefined {
  const { listedAttachments } = libraryOf(page).getState();
  const end = name.slice(name.indexOf('~') + 1);
  return listedAttachments.find(({ path, member }) => {
    const whole = member === null ? path : `${path}/${member}`;
    return whole === end || whole.endsWith(`/${end}`);
  });
}
