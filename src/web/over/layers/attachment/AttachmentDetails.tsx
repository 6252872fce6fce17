import { isFieldDescription } from '../field/describeField.ts';
import { FieldDetails } from '../field/FieldDetails.tsx';
import { StructureDetails } from '../structureSet/StructureDetails.tsx';
import type { AttachmentDescription } from './attachmentClient.ts';
import { AttachmentPlace } from './AttachmentPlace.tsx';

/** Where model output lies, and its labels or how its values are drawn. */
export function AttachmentDetails({
  description,
  cell,
}: {
  readonly description: AttachmentDescription;
  readonly cell: number;
}) {
  return (
    <>
      <AttachmentPlace layer={description.fileIndex} />
      {isFieldDescription(description) ? (
        <FieldDetails description={description} />
      ) : (
        <StructureDetails description={description} noun="label" cell={cell} />
      )}
    </>
  );
}
