// The header in C++.
#include <pzcomp.h>

#include <string>

int main() {
    std::string plain(100000, 'x');
    void *coded = nullptr, *back = nullptr;
    std::size_t coded_length = 0, length = 0;
    if (pz_compress(nullptr, plain.data(), plain.size(), &coded, &coded_length) != PZ_OK)
        return 1;
    if (pz_decompress(nullptr, coded, coded_length, &back, &length) != PZ_OK)
        return 2;
    bool same = plain == std::string(static_cast<char *>(back), length);
    pz_free(coded);
    pz_free(back);
    return same ? 0 : 3;
}
