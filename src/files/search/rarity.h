/* How common bytes are in what people search: 0 is the rarest, 255 the most common. */
#ifndef WEFT_FILES_SEARCH_RARITY_H
#define WEFT_FILES_SEARCH_RARITY_H

extern const unsigned char weft__byte_rank[256];

#endif
