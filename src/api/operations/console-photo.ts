import { z } from 'zod';
import type { Gateway } from '../../gateway.ts';
import { type Call, type Reply, type Route, route } from '../../http/route.ts';
import { checkLinks } from '../check-links.ts';
import { ImageUrl } from '../intake/job-request.ts';
import { toReply } from '../intake/review/photo.ts';
import { CUT_OUT_MEDIA } from '../removal/cut-out-response.ts';
import type { ImageRequests } from '../removal/image-requests.ts';

const PhotoRequest = z.strictObject({ imageUrl: ImageUrl });
type PhotoRequest = z.infer<typeof PhotoRequest>;

/** The route by which the console gets a photo of another site, which its browser may not read. */
export function photoRoute(
  images: Pick<ImageRequests, 'fetchImage'>,
  { linkRule }: Pick<Gateway, 'linkRule'>,
): Route {
  async function fetchPhoto(call: Call<unknown, PhotoRequest>): Promise<Reply> {
    const { imageUrl } = call.body;
    checkLinks(linkRule, { '/imageUrl': imageUrl });
    const { file, result } = await images.fetchImage(imageUrl, call);
    return toReply(file, result.mediaType);
  }

  return route('fetchPhoto', 'POST /console/photos', {
    scope: 'background-removal:process',
    body: PhotoRequest,
    maxBodyBytes: 8192,
    responses: {
      200: {
        description: 'The photo as it was sent',
        content: CUT_OUT_MEDIA,
      },
    },
    handle: fetchPhoto,
  });
}
