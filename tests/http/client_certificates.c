/* Certificates that are our own: whom we trust, from a folder; and who we are, for a server that asks.
 * ctest: timeout=120 */
#include "nginx.h"

static struct scene scene;

/* What mutual.test says to the one who comes: the status, and the name in our certificate. */
static void mutual_says(const char *cert, const char *key, int status, const char *words)
{
    struct weft_http_fetch fetch = {0};
    char cert_path[SCRATCH_PATH], key_path[SCRATCH_PATH];
    nginx_scene(&scene);
    if (cert != NULL)
        scene.client.cert_file = scratch_path(cert_path, cert);
    if (key != NULL)
        scene.client.key_file = scratch_path(key_path, key);
    nginx_open(&scene);
    nginx_get(&scene, &fetch, "mutual", "/who");
    nginx_got(&scene, &fetch);
    assert_int_equal(fetch.status, status);
    assert_non_null(strstr(fetch.body, words));
    weft_http_fetch_free(&fetch);
    nginx_scene_down(&scene);
}

TEST(a_certificate_is_shown_to_a_server_that_asks)
{
    mutual_says("guest.pem", "guest.key", 200, "CN=guest.test");
}

TEST(without_one_the_server_says_no)
{
    mutual_says(NULL, NULL, 400, "No required SSL certificate");
}

TEST(one_that_the_server_does_not_trust_does_not_help)
{
    mutual_says("self.pem", "self.key", 400, "SSL certificate error");
}

/* No connection, and it is our own fault. */
static void our_files_are_wrong(void)
{
    struct weft_http_fetch fetch = {0};
    nginx_open(&scene);
    nginx_get(&scene, &fetch, "mutual", "/who");
    await(&scene.w, &fetch.op);
    failed_with(&fetch, WEFT_ETLS, WEFT_FETCH_FAILED_TLS, WEFT_FETCH_TLS_OUR_FILES,
                "our own certificate files");
    weft_http_fetch_free(&fetch);
    nginx_scene_down(&scene);
}

TEST(a_key_that_does_not_fit_is_told)
{
    char cert[SCRATCH_PATH], key[SCRATCH_PATH];
    nginx_scene(&scene);
    scene.client.cert_file = scratch_path(cert, "guest.pem");
    scene.client.key_file = scratch_path(key, "good.key");
    our_files_are_wrong();
}

TEST(a_certificate_that_is_missing_is_told)
{
    char key[SCRATCH_PATH];
    nginx_scene(&scene);
    scene.client.cert_file = "/nowhere/at/all";
    scene.client.key_file = scratch_path(key, "guest.key");
    our_files_are_wrong();
}

/* ---- whom we trust -------------------------------------------------------------------------- */

TEST(a_folder_of_authorities_is_trusted)
{
    struct weft_http_fetch fetch = {0};
    char path[SCRATCH_PATH];
    nginx_scene(&scene);
    scene.client.ca_file = NULL;
    scene.client.ca_path = scratch_path(path, "hashed");
    nginx_open(&scene);
    nginx_get(&scene, &fetch, "good", "/small");
    nginx_got(&scene, &fetch);
    assert_string_equal(fetch.body, "small");
    weft_http_fetch_free(&fetch);
    nginx_scene_down(&scene);
}

TEST(a_folder_without_the_authority_is_not_enough)
{
    struct weft_http_fetch fetch = {0};
    char path[SCRATCH_PATH];
    nginx_scene(&scene);
    scene.client.ca_file = NULL;
    scene.client.ca_path = scratch_path(path, "www");
    nginx_open(&scene);
    nginx_get(&scene, &fetch, "good", "/small");
    await(&scene.w, &fetch.op);
    failed_with(&fetch, WEFT_ETLS, WEFT_FETCH_FAILED_TLS, WEFT_FETCH_TLS_UNKNOWN_ISSUER,
                "do not trust");
    weft_http_fetch_free(&fetch);
    nginx_scene_down(&scene);
}
